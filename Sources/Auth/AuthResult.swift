/// What a successful sign-in, link or reauthentication gives.
public struct AuthResult {
  /// The user.
  public let user: User

  /// What the sign-in tells beyond the user.
  public let additionalUserInfo: AdditionalUserInfo?

  /// The identity provider's tokens; nil for ways to sign in that have none.
  public let credential: Credential?

  init(user: User, additionalUserInfo: AdditionalUserInfo? = nil, credential: Credential? = nil) {
    self.user = user
    self.additionalUserInfo = additionalUserInfo
    self.credential = credential
  }
}
