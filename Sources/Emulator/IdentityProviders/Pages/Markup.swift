/// A piece of HTML: interpolated text is escaped, interpolated markup is not.
///
/// What people type and apps send reaches a page only through this type, so a forgotten escape is
/// not something one can write.
struct Markup: Sendable, ExpressibleByStringInterpolation {
  let text: String

  init(raw text: String) { self.text = text }

  init(stringLiteral value: String) { text = value }

  init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

  static let nothing = Markup(raw: "")

  struct Interpolation: StringInterpolationProtocol {
    var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    mutating func appendLiteral(_ literal: String) { text += literal }

    mutating func appendInterpolation(_ value: String) { text += Markup.escaped(value) }

    mutating func appendInterpolation(_ value: Markup) { text += value.text }

    mutating func appendInterpolation(_ parts: [Markup]) {
      for part in parts { text += part.text }
    }
  }

  /// The text with the five characters that mean something in HTML made harmless.
  static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
      case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
      case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
      case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
      case UInt8(ascii: "'"): bytes += Array("&#39;".utf8)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
