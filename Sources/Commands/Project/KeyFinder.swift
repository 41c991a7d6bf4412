/// Finds the line of a key in the text of a Lua table, for errors about it.
struct KeyFinder {
  private let lines: [String]

  init(_ text: [UInt8]) {
    lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The line of the last key of the path that can be found, each below the one before it.
  func line(of path: [String]) -> Int? {
    var start = 0
    var found: Int?
    for key in path {
      guard let index = lines[start...].firstIndex(where: { writes(key, in: $0) }) else { continue }
      found = index + 1
      start = index
    }
    return found
  }

  /// Whether the line holds `key =` or `["key"] =`.
  private func writes(_ key: String, in line: String) -> Bool {
    for spelling in ["\(key) ", "\(key)=", "[\"\(key)\"]", "['\(key)']"] {
      var rest = line[...]
      while let range = rest.firstRange(of: spelling) {
        let after = rest[range.upperBound...].drop { $0 == " " || $0 == "=" }
        let before = rest[..<range.lowerBound].last
        let isWhole = before.map { !($0.isLetter || $0.isNumber || $0 == "_") } ?? true
        let assigns =
          spelling.hasSuffix("=")
          || rest[range.upperBound...].drop { $0 == " " }.first == "="
        if isWhole, assigns, !after.isEmpty || assigns { return true }
        rest = rest[range.upperBound...]
      }
    }
    return false
  }
}
