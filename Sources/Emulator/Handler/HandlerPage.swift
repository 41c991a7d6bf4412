internal import System
internal import HTTP

/// The page that sends the browser to an identity provider and receives it back.
///
/// An SDK that started the sign-in receives the result. Without an SDK, as in luath's own flows and command-line
/// tools, the page shows the final address, which completes the sign-in.
enum HandlerPage {
  /// The page; `posted` is the provider's form post (OAuth 2.0 Form Post Response Mode).
  static func response(posted: String = "", pages: AuthorizedPages) -> ServerResponse {
    HandlerShell.response(
      title: "Sign-in", kind: .oidc,
      content: """
        <p class="notice" id="problem" role="alert" tabindex="-1" hidden></p>
        <p id="busy" role="status">One moment…</p>
        <div id="end" hidden>
        <h1 id="outcome" tabindex="-1">Sign-in finished</h1>
        <p id="advice">You can close this page.</p>
        <p id="reason" class="notice" role="alert" hidden></p>
        <div id="handover" hidden>
        <p><label for="address">If a program asks for the final address, give it this one. It works once, \
        and the address bar does not show it:</label></p>
        <p><input id="address" readonly></p>
        </div>
        </div>
        <input type="hidden" id="posted" value="\(posted)">
        <noscript><p>The address of this page is the final address.</p></noscript>
        """,
      pages: pages, script: SignInScripts.redirect)
  }
}
