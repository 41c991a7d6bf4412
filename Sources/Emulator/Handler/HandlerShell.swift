internal import Encoding
internal import HTTP
internal import OIDC

/// What every page of the sign-in handler has around it: no resource from elsewhere, and no script but its own.
enum HandlerShell {
  static func response(
    title: String, kind: IdentityProvider.Kind, content: Markup, pages: AuthorizedPages,
    script: String
  ) -> ServerResponse {
    let style = Theme.of(kind).variables + Stylesheet.common + Self.style
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="robots" content="noindex">
      \(pages.element)
      <title>\(title)</title>
      <style>\(Markup(raw: style))</style>
      </head>
      <body>
      <main><div class="in">
      \(content)
      </div></main>
      <footer>A page of the emulator: no real account is used.</footer>
      <script>\(Markup(raw: script))</script>
      </body>
      </html>

      """
    return ServerResponse(
      text: page.text, type: "text/html; charset=utf-8",
      headers: headers(
        "style-src \(source(style)); script-src \(source(script)); connect-src 'self'; "
          + "form-action 'none'; frame-ancestors 'none'"))
  }

  private static let style = """
    [hidden]{display:none}
    h2{font-size:18px;line-height:1.3;font-weight:600;margin:26px 0 12px}
    #end label{font-weight:400;color:var(--soft)}
    .check{display:flex;gap:12px;align-items:flex-start}
    .check label{font-weight:400;margin:0}
    .check input{flex:none;width:22px;height:22px;margin:2px 0 0}
    """

  /// A page that shows nothing and lives in a page of the app's.
  static func frame(pages: AuthorizedPages, script: String) -> ServerResponse {
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="en"><meta charset="utf-8">\(pages.element)<title>Sign-in relay</title>
      <script>\(Markup(raw: script))</script></html>

      """
    return ServerResponse(
      text: page.text,
      type: "text/html; charset=utf-8", headers: headers("script-src \(source(script))"))
  }

  private static func headers(_ policy: String) -> HTTPHeaders {
    [
      "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
      "Content-Security-Policy": "default-src 'none'; base-uri 'none'; \(policy)",
      "X-Content-Type-Options": "nosniff",
    ]
  }

  private static func source(_ text: String) -> String {
    "'sha256-\(Base64.encode(Digest.sha256(Array(text.utf8))))'"
  }
}
