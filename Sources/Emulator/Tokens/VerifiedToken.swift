/// What a valid Firebase ID token says about its bearer.
struct VerifiedToken {
  let account: Account
  /// The sign-in the token came from, which the next token goes on with.
  let session: SignInSession
  /// Whether it is a legacy token, which makes no session cookie.
  var isLegacy = false
}
