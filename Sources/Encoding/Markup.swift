/// A piece of HTML: interpolated text is escaped, interpolated markup is not.
///
/// What people type and apps send reaches a page only through this type, so a forgotten escape is
/// not something one can write.
public struct Markup: Sendable, ExpressibleByStringInterpolation {
  /// The HTML.
  public let text: String

  /// Takes HTML as it is.
  public init(raw text: String) { self.text = text }

  /// Takes a literal as it is.
  public init(stringLiteral value: String) { text = value }

  /// Takes a literal with its values.
  public init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

  /// No HTML at all.
  public static let nothing = Markup(raw: "")

  /// A literal in the making.
  public struct Interpolation: StringInterpolationProtocol {
    var text = ""

    /// Makes room for a literal.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    /// Adds what the source has, as it is.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds text, escaped.
    public mutating func appendInterpolation(_ value: String) { text += Markup.escaped(value) }

    /// Adds markup as it is.
    public mutating func appendInterpolation(_ value: Markup) { text += value.text }

    /// Adds pieces of markup, one behind the other.
    public mutating func appendInterpolation(_ parts: [Markup]) {
      for part in parts { text += part.text }
    }
  }

  /// The text with the five characters escaped that mean something in HTML.
  public static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { escape($0, quotes: true) != nil }) else { return text }
    return String(decoding: escaped(text.utf8), as: UTF8.self)
  }

  /// The same for UTF-8; `quotes` says whether quotes are escaped too, as attributes need it.
  public static func escaped(_ text: some Sequence<UInt8>, quotes: Bool = true) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.underestimatedCount + 16)
    for byte in text {
      if let escape = escape(byte, quotes: quotes) {
        bytes += escape.utf8
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  private static func escape(_ byte: UInt8, quotes: Bool) -> String? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\"") where quotes: "&quot;"
    case UInt8(ascii: "'") where quotes: "&#39;"
    default: nil
    }
  }
}
