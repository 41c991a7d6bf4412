/// The scripts of the sign-in handler's pages.
enum SignInScripts {
  /// Lets whoever tests the app say who signs in: the identity is written down, not proved.
  static let widget = handingBack + EmbeddedAssets.text("widget.js")

  /// Sends the browser to the provider, and hands back what it comes back with.
  static let redirect = handingBack + EmbeddedAssets.text("redirect.js")

  /// The script of the hidden frame that the web SDK keeps in an app's page.
  ///
  /// The SDK talks to it through Google's `gapi.iframes` library. That library's half in the frame is written
  /// here again as far as the SDK needs it: calls are JSON texts after `!_`, with `s` for the called service
  /// (caller's frame, called frame and name, with colons between), `a` for its arguments, `c` for the number of
  /// the call when an answer is wanted, and `t` for the token both sides know from the frame's address. An
  /// answer is a call of `__cb`, and its value a list with what each handler answered.
  static let frame = AuthorizedPages.script + EmbeddedAssets.text("frame.js")

  /// How a sign-in page reports to the app how the sign-in went.
  ///
  /// It speaks what Firebase's SDKs listen for: a message to the frame that the web SDK keeps in the page that
  /// opened the pop-up, an entry of the session storage that the frame reads after a redirect, an intent on
  /// Android and a link of the app's own scheme on Apple's systems.
  private static let handingBack = AuthorizedPages.script + EmbeddedAssets.text("hand-back.js")
}
