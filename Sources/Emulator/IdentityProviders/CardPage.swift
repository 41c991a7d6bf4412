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

/// The colors and corners that distinguish the pages of the providers.
struct Theme: Sendable {
  /// The color of buttons and links in light mode.
  let accent: String
  /// The color of buttons and links in dark mode.
  let accentInDark: String
  /// One or more colors of the band across the top of the card.
  let band: [String]
  /// The color of the page behind the card.
  let backdrop: String
  let backdropInDark: String
  let cornerOfCard: String
  let cornerOfControl: String
  let cornerOfButton: String

  static func of(_ kind: IdentityProvider.Kind) -> Theme {
    switch kind {
    case .microsoft:
      Theme(
        accent: "#0062ad", accentInDark: "#6cb8ff", band: ["#0062ad"], backdrop: "#eaf1f8",
        backdropInDark: "#10161d", cornerOfCard: "3px", cornerOfControl: "2px",
        cornerOfButton: "2px")
    case .yahoo:
      Theme(
        accent: "#5b01c6", accentInDark: "#c4a1ff", band: ["#5b01c6"], backdrop: "#f3eefb",
        backdropInDark: "#15111c", cornerOfCard: "18px", cornerOfControl: "10px",
        cornerOfButton: "999px")
    case .google:
      Theme(
        accent: "#1558c0", accentInDark: "#9cc2ff",
        band: ["#4285f4", "#ea4335", "#fbbc04", "#34a853"], backdrop: "#f1f4f8",
        backdropInDark: "#131416", cornerOfCard: "24px", cornerOfControl: "6px",
        cornerOfButton: "999px")
    case .oidc:
      Theme(
        accent: "#0b6b5d", accentInDark: "#6fd6c4", band: ["#0b6b5d"], backdrop: "#eaf4f2",
        backdropInDark: "#0f1716", cornerOfCard: "10px", cornerOfControl: "6px",
        cornerOfButton: "6px")
    }
  }

  /// The custom properties for the common style sheet.
  var variables: String {
    let share = 100 / max(band.count, 1)
    let stops = band.enumerated().map { "\($1) \($0 * share)% \(($0 + 1) * share)%" }
    return """
      :root{--accent:\(accent);--link:\(accent);--page:\(backdrop);--card:#fff;--ink:#1b1d21;\
      --soft:#575d66;--line:#8a919b;--rule:#dfe3e8;--field:#fff;--bad:#b3261e;--badpage:#fdf1f0;\
      --on:#fff;--corner:\(cornerOfCard);--fieldcorner:\(cornerOfControl);\
      --buttoncorner:\(cornerOfButton);--band:linear-gradient(90deg,\(stops.joined(separator: ",")))}
      @media (prefers-color-scheme:dark){:root{--accent:\(accentInDark);--link:\(accentInDark);\
      --page:\(backdropInDark);--card:#1d2025;--ink:#eceef1;--soft:#a9b0ba;--line:#7d8590;\
      --rule:#343941;--field:#15171b;--bad:#ffb4ab;--badpage:#3a1f1d;--on:#10131a}}

      """
  }
}
