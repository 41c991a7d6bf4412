internal import System
internal import HTTP
internal import OIDC

/// The frame of every sign-in handler page: no external resources, and only its own script.
enum HandlerShell {
  static func response(
    title: String, kind: IdentityProvider.Kind, content: Markup, pages: AuthorizedPages,
    script: String
  ) -> ServerResponse {
    CardPage(
      title: title, kind: kind, head: "\(pages.element)\n",
      style: EmbeddedAssets.text("handler.css"), content: content,
      footer: "A page of the emulator: no real account is used.", script: script,
      policy: "; connect-src 'self'; form-action 'none'"
    ).response()
  }

  /// An invisible page for a frame in the app's page.
  static func frame(pages: AuthorizedPages, script: String) -> ServerResponse {
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="en"><meta charset="utf-8">\(pages.element)<title>Sign-in relay</title>
      <script>\(Markup(raw: script))</script></html>

      """
    return ServerResponse(
      text: page.text,
      type: "text/html; charset=utf-8",
      headers: [
        "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
        "Content-Security-Policy":
          "default-src 'none'; base-uri 'none'; script-src \(ContentPolicy.source(script))",
        "X-Content-Type-Options": "nosniff",
      ])
  }
}
