internal import System
internal import HTTP
internal import OIDC

/// The pages of the loopback listener.
///
/// They contain nothing of the request and load nothing.
struct LoopbackPage {
  private let status: Int
  private let title: String
  private let words: String
  private var content = Markup.nothing
  private var script = Self.cleaning
  private var headers: HTTPHeaders = [:]

  static let finished = LoopbackPage(
    status: 200, title: "Sign-in handed over",
    words: "You can close this page and go back to the program that asked for it.")
  static let refused = LoopbackPage(
    status: 200, title: "Sign-in refused",
    words: "The sign-in page ended with an error. The program that opened it shows the details.")
  static let forged = LoopbackPage(
    status: 400, title: "Sign-in stopped",
    words: "This response is not of the sign-in that was started here, so it was not used. "
      + "Begin again in the program that asked for it.")
  static let used = LoopbackPage(
    status: 410, title: "Sign-in over",
    words: "This sign-in already has its response. Start again in the program for another sign-in.")
  static let unexpected = LoopbackPage(
    status: 400, title: "No sign-in",
    words: "No sign-in waits for a response here.")
  static let empty = LoopbackPage(
    status: 400, title: "No response",
    words: "This is no response of a sign-in page. "
      + "Go back and give the complete address, with all that follows its number sign.")
  static let foreign = LoopbackPage(
    status: 403, title: "Not for you",
    words: "This address is for the browser of a user who signs in on this machine.")
  static let missing = LoopbackPage(
    status: 404, title: "Nothing here", words: "A sign-in ends at another address.")
  static let wrongType = LoopbackPage(
    status: 415, title: "Not a form",
    words: "A sign-in page posts its response as application/x-www-form-urlencoded.")

  static func wrongMethod(allowed: String) -> LoopbackPage {
    var page = LoopbackPage(
      status: 405, title: "Wrong method", words: "A sign-in page redirects by GET or POST.")
    page.headers = ["Allow": allowed]
    return page
  }

  /// Returns the page that posts the fragment of its URL, which browsers do not send.
  static func fragment(_ path: String) -> LoopbackPage {
    var page = LoopbackPage(
      status: 200, title: "One moment",
      words:
        "If this page stays, copy the complete address of this page, paste it here and send it.")
    page.content = """
      <form method="post" action="\(path)" autocomplete="off">
      <label for="address">Address of this page</label>
      <input id="address" name="address" required>
      <button>Send</button>
      </form>

      """
    page.script = Self.sending
    return page
  }

  var response: ServerResponse {
    let page = WebPage(
      title: title,
      head: """
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">

        """, style: Self.style
    ).text(
      """
      <main>
      <h1>\(title)</h1>
      <p>\(words)</p>
      \(content)</main>
      <script>\(Markup(raw: script))</script>
      """)
    var response = ServerResponse(
      status: status, text: page, type: "text/html; charset=utf-8", headers: headers)
    for (name, value) in policy { response.headers.set(name, value) }
    return response
  }

  private var policy: [(String, String)] {
    [
      ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
      ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Connection", "close"),
      (
        "Content-Security-Policy",
        "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'; "
          + "style-src \(ContentPolicy.source(Self.style)); script-src \(ContentPolicy.source(script))"
      ),
    ]
  }

  /// Removes the code from the address bar and the history.
  private static let cleaning = "history.replaceState(null,\"\",location.pathname)"

  private static let sending = EmbeddedAssets.text("loopback-fragment.js")
  private static let style = EmbeddedAssets.text("loopback.css")
}
