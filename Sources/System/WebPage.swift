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
