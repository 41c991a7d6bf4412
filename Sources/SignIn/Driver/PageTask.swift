internal import System
internal import HTTP

/// The purpose of a visit, which decides what may be done on its pages.
enum PageTask: Sendable {
  case signIn
  /// The app asks who is signed in, and the provider must show no page.
  ///
  /// This is `prompt=none` of OpenID Connect Core section 3.1.2.1.
  case silentSignIn
  /// The user signs out (OpenID Connect RP-Initiated Logout section 2).
  case signOut

  /// Determines the task from the start URL.
  init(openedBy url: WebURL) {
    let fields = url.fields
    if fields["post_logout_redirect_uri"] != nil {
      self = .signOut
    } else if fields["prompt"]?.split(separator: " ").contains("none") == true {
      self = .silentSignIn
    } else {
      self = .signIn
    }
  }
}
