import Host

extension String {
  /// The lines of the text without control characters; tabs become blanks.
  ///
  /// `##[` is split up, because GitHub Actions runs it as a command anywhere in a line.
  var reportLines: [String] {
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { part in
      let line = String(Substring(part))
      if line.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "#") }) {
        return line
      }
      return String(line.map { $0 == "\t" ? " " : $0 }.filter { $0 != "\r" }).printable
        .split("##[").joined(separator: "## [")
    }
  }

  var inOneLine: String { reportLines.joined(separator: " ") }

  /// Splits the text at each occurrence of the separator.
  func split(_ separator: String) -> [String] {
    var parts: [String] = []
    var rest = Array(utf8)[...]
    let mark = Array(separator.utf8)
    var part: [UInt8] = []
    while let byte = rest.first {
      if rest.starts(with: mark) {
        parts.append(String(decoding: part, as: UTF8.self))
        part = []
        rest = rest.dropFirst(mark.count)
      } else {
        part.append(byte)
        rest = rest.dropFirst()
      }
    }
    return parts + [String(decoding: part, as: UTF8.self)]
  }
}
