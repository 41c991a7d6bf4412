/// A whole HTML page: the head that all pages of luath share, around a body.
public struct WebPage: Sendable {
  /// The page up to the content of its body, for pages that are written piece by piece.
  public let opening: String
  /// What ends a page after the content of its body.
  public static let closing = "\n</body>\n</html>\n"

  /// Begins a page.
  ///
  /// - Parameters:
  ///   - title: What the browser's tab shows.
  ///   - language: The language of the page's words.
  ///   - head: Further elements of the head, before the title.
  ///   - style: A style sheet that stands in the page.
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

  /// The page around the content of its body.
  public func text(_ body: Markup) -> String { opening + body.text + Self.closing }
}
