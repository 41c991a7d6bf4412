internal import HTTP

/// The page an identity provider sends the browser back to.
///
/// The sign-in goes on where it was started, so all the page does is show the address that takes it there.
enum HandlerPage {
  static let response = ServerResponse(
    text: html, type: "text/html; charset=utf-8",
    headers: [
      "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
      "Content-Security-Policy":
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
      "X-Content-Type-Options": "nosniff",
    ])

  private static let html = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <title>Sign-in finished</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em }
      textarea { width: 100%; height: 8em; font: 13px/1.4 monospace }
    </style>
    <h1>Sign-in finished</h1>
    <p>You can close this page. If a program asks for the final address, give it this one:</p>
    <textarea id="address" readonly></textarea>
    <script>document.getElementById("address").value = location.href</script>
    </html>

    """
}
