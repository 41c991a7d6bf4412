@testable import Storage

extension StateFile {
  /// All rows as "collection/key=value" in order.
  func lines() throws -> [String] {
    var lines: [String] = []
    try forEach {
      lines.append("\($0.collection)/\($0.key)=\(String(decoding: $0.value, as: UTF8.self))")
    }
    return lines
  }

  func put(_ collection: String, _ key: String, _ value: String) {
    put(collection, key: key, value: Array(value.utf8))
  }
}
