/// The result of a successful sign-in, link or reauthentication.
public struct AuthResult {
  /// The user.
  public let user: User

  /// Further results of the sign-in.
  public let additionalUserInfo: AdditionalUserInfo?

  /// The identity provider's tokens; nil for sign-in methods without any.
  public let credential: Credential?

  init(user: User, additionalUserInfo: AdditionalUserInfo? = nil, credential: Credential? = nil) {
    self.user = user
    self.additionalUserInfo = additionalUserInfo
    self.credential = credential
  }
}
