/// The headers of a request in one array, because a server reads few of them.
///
/// Each field is stored as the lengths of name and value, four bytes each, followed by both.
struct PackedHeaders: Sendable {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var fields: [HTTPHeaders.Field] {
    var fields: [HTTPHeaders.Field] = []
    scan { name, value in
      fields.append(HTTPHeaders.Field(name: text(name), value: text(value)))
      return true
    }
    return fields
  }

  func first(_ name: String) -> String? {
    var name = name
    var found: String?
    name.withUTF8 { wanted in
      scan { name, value in
        guard Self.isSame(name, wanted) else { return true }
        found = text(value)
        return false
      }
    }
    return found
  }

  /// Passes each field to `body` until that returns false.
  private func scan(
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) {
    bytes.withUnsafeBytes { bytes in
      var position = 0
      while position < bytes.count {
        let name = Int(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
        let value = Int(bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
        let start = position + 8
        position = start + name + value
        let goesOn = body(
          UnsafeRawBufferPointer(rebasing: bytes[start..<(start + name)]),
          UnsafeRawBufferPointer(rebasing: bytes[(start + name)..<position]))
        if !goesOn { return }
      }
    }
  }

  private static func isSame(
    _ name: UnsafeRawBufferPointer, _ other: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard name.count == other.count else { return false }
    for index in other.indices where lowercased(name[index]) != lowercased(other[index]) {
      return false
    }
    return true
  }

  private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
