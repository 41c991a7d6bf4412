internal import Encoding
internal import HTTP

/// What a provider's pages were opened for, which decides what may be done there.
enum PageTask: Sendable {
  /// A person signs in.
  case signIn
  /// The app asks who is signed in, and the provider must show no page (`prompt=none`, OpenID Connect
  /// Core section 3.1.2.1).
  case silentSignIn
  /// A person signs out (OpenID Connect RP-Initiated Logout section 2).
  case signOut

  /// Reads the task from the address that opens the pages.
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
