public import Encoding

/// The tokens the token endpoint gave for a refresh token.
public struct RefreshedSession: Sendable {
  /// The new ID token.
  public let idToken: Secret

  /// The refresh token to use from now on.
  public let refreshToken: Secret?

  /// The ID token's lifetime in seconds, if the answer says it.
  public let expiresIn: Int64?

  /// The user the tokens belong to.
  public let userID: String?
}
