/// The account and session of a valid Firebase ID token.
struct VerifiedIDToken {
  let account: Account
  /// The session the token was issued for, which the next token continues.
  let session: SignInSession
  /// Whether it is a legacy token, which cannot be exchanged for a session cookie.
  var isLegacy = false
}
