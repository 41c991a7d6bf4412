/// A piece of HTML: interpolated text is escaped, interpolated markup is not.
///
/// All input from users and apps reaches a page through this type, so that escaping cannot be forgotten.
public struct Markup: Sendable, ExpressibleByStringInterpolation {
  /// The HTML.
  public let text: String

  /// Wraps HTML without escaping.
  public init(raw text: String) { self.text = text }

  /// Wraps a literal without escaping.
  public init(stringLiteral value: String) { text = value }

  /// Wraps an interpolated literal.
  public init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

  /// Empty markup.
  public static let nothing = Markup(raw: "")

  /// Collects an interpolated literal.
  public struct Interpolation: StringInterpolationProtocol {
    var text = ""

    /// Reserves memory for a literal.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    /// Appends a literal part without escaping.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends text, escaped.
    public mutating func appendInterpolation(_ value: String) { text += Markup.escaped(value) }

    /// Appends markup without escaping.
    public mutating func appendInterpolation(_ value: Markup) { text += value.text }

    /// Appends pieces of markup.
    public mutating func appendInterpolation(_ parts: [Markup]) {
      for part in parts { text += part.text }
    }
  }

  /// Escapes the five characters that are special in HTML.
  public static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { escape($0, quotes: true) != nil }) else { return text }
    return String(decoding: escaped(text.utf8), as: UTF8.self)
  }

  /// Escapes UTF-8 text; `quotes` must be true for attribute values.
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

/// An HTML page: luath's common head, around a body.
public struct WebPage: Sendable {
  /// The page up to the content of its body, for pages that are written piece by piece.
  public let opening: String
  /// The end of a page, after the content of its body.
  public static let closing = "\n</body>\n</html>\n"

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - title: The title of the browser tab.
  ///   - language: The language of the page's text.
  ///   - head: Further elements of the head, before the title.
  ///   - style: A style sheet to embed.
  public init(
    title: String, language: String = "en", head: Markup = .nothing, style: String? = nil
  ) {
    let styleElement = style.map { Markup(raw: "<style>\($0)</style>\n") } ?? .nothing
    let opening: Markup = """
      <!DOCTYPE html>
      <html lang="\(language)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      \(head)<title>\(title)</title>
      \(styleElement)</head>
      <body>

      """
    self.opening = opening.text
  }

  /// Returns the page with the content of its body.
  public func text(_ body: Markup) -> String { opening + body.text + Self.closing }
}
