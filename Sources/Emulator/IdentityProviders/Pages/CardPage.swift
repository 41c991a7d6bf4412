internal import System
internal import HTTP
internal import OIDC

/// A page with a single card, for providers, e-mail links and the sign-in handler.
///
/// It needs no other resource. Its content policy lists style and script by hash, so that nothing else is loaded or
/// run.
struct CardPage {
  let title: String
  var language = "en"
  /// The provider whose theme it uses.
  let kind: IdentityProvider.Kind
  var head: Markup = .nothing
  /// Styles in addition to those of all cards.
  var style = ""
  let content: Markup
  let footer: String
  var script: String?
  /// Additional policy directives of this page.
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
