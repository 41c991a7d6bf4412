internal import Encoding
internal import HTTP
internal import OIDC

/// A page with one card on it: those of providers, of e-mail links and of the sign-in handler.
///
/// It is complete in itself. Its policy names style and script by their hashes, so that nothing
/// else is loaded or run.
struct CardPage {
  let title: String
  var language = "en"
  /// Whose colours and corners it has.
  let kind: IdentityProvider.Kind
  /// Further elements of the head.
  var head: Markup = .nothing
  /// A style sheet on top of that of all cards.
  var style = ""
  let content: Markup
  let footer: String
  var script: String?
  /// Further directives of the policy, which differ with what the page does.
  var policy = ""

  func response(status: Int = 200) -> ServerResponse {
    let style = Theme.of(kind).variables + EmbeddedAssets.text("card.css") + self.style
    let end = script.map { Markup(raw: "\n<script>\($0)</script>") } ?? .nothing
    let head: Markup = "<meta name=\"robots\" content=\"noindex\">\n\(self.head)"
    let text = WebPage(title: title, language: language, head: head, style: style).text(
      """
      <main><div class="in">
      \(content)
      </div></main>
      <footer>\(footer)</footer>\(end)
      """)
    let scripts = script.map { " script-src \(ContentPolicy.source($0));" } ?? ""
    return ServerResponse(
      status: status, text: text, type: "text/html; charset=utf-8",
      headers: [
        "Content-Security-Policy":
          "default-src 'none'; style-src \(ContentPolicy.source(style));\(scripts) base-uri 'none'; "
          + "frame-ancestors 'none'\(policy)",
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
      ])
  }
}
