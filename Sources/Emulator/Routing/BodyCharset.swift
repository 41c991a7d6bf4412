internal import System
internal import IdentityToolkit

/// The `charset` of a request's content type, as read by body-parser, the library of Firebase's emulator.
struct BodyCharset {
  /// The name in lower case; `utf-8` when there is none.
  private let name: String

  init(contentType: String) {
    let parameters = contentType.split(separator: ";").dropFirst().map { parameter in
      let halves = parameter.split(separator: "=", maxSplits: 1).map { half in
        String(half.filter { $0 != " " && $0 != "\t" && $0 != "\"" }).asciiLowercased
      }
      return (name: halves.first ?? "", value: halves.count == 2 ? halves[1] : nil)
    }
    // One parameter without a value makes the library ignore them all.
    let isReadable = parameters.allSatisfy { $0.value != nil }
    let charset = parameters.last { $0.name == "charset" }?.value ?? ""
    name = isReadable && !charset.isEmpty ? charset : "utf-8"
  }

  /// Whether the library tries to decode it at all.
  var isUnicode: Bool { name.utf8.starts(with: "utf-".utf8) }

  var refusal: Refusal {
    let name = Backend.printable(name)
    return Refusal(
      status: 415,
      plainBody: [
        "message": .string("unsupported charset \"\(name.uppercased())\""),
        "charset": .string(name), "type": "charset.unsupported",
      ])
  }

  /// The body in UTF-8; nil for an unknown charset.
  func text(of bytes: [UInt8]) -> [UInt8]? {
    switch name {
    case "utf-8": bytes
    case "utf-16": Self.utf8(of: bytes, isBigEndian: Self.isBigEndian(bytes))
    case "utf-16le": Self.utf8(of: bytes, isBigEndian: false)
    case "utf-16be": Self.utf8(of: bytes, isBigEndian: true)
    default: nil
    }
  }

  /// Decided by the byte order mark, or else by the position of the zero bytes of ASCII letters.
  private static func isBigEndian(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFE, 0xFF]) { return true }
    if bytes.starts(with: [0xFF, 0xFE]) { return false }
    var balance = 0
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      if bytes[index] == 0, bytes[index + 1] != 0 { balance += 1 }
      if bytes[index] != 0, bytes[index + 1] == 0 { balance -= 1 }
    }
    return balance > 0
  }

  private static func utf8(of bytes: [UInt8], isBigEndian: Bool) -> [UInt8] {
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let (one, other) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? one << 8 | other : other << 8 | one
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
