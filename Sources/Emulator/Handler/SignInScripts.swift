enum SignInScripts {
  /// Lets a tester choose the identity; nothing is verified.
  static let widget = handingBack + EmbeddedAssets.text("widget.js")

  /// Sends the browser to the provider, and returns the result to the app.
  static let redirect = handingBack + EmbeddedAssets.text("redirect.js")

  /// The script of the hidden frame that the web SDK keeps in an app's page.
  ///
  /// The SDK calls it through Google's `gapi.iframes` library. The script reimplements the frame's side of that
  /// library as far as the SDK needs it. A call is a JSON text after `!_`. Its `s` is the called service (calling
  /// frame, called frame and name, separated by colons), `a` the arguments, `c` the call's number when a response is
  /// wanted, and `t` the token that both sides have from the frame's address. A response is a call of `__cb` whose
  /// value is a list of the handlers' results.
  static let frame = AuthorizedPages.script + EmbeddedAssets.text("frame.js")

  /// The code with which a sign-in page returns the result to the app.
  ///
  /// It uses the channels of Firebase's SDKs: a message to the SDK's frame in the page that opened the pop-up, a
  /// session storage entry that the frame reads after a redirect, an intent on Android, and a link with the app's own
  /// scheme on Apple's systems.
  private static let handingBack = AuthorizedPages.script + EmbeddedAssets.text("hand-back.js")
}
