public import System

/// The tokens that the token endpoint returned for a refresh token.
public struct RefreshedSession: Sendable {
  /// The new ID token.
  public let idToken: Secret

  /// The refresh token to use from now on.
  public let refreshToken: Secret?

  /// The ID token's lifetime in seconds, if the response has it.
  public let expiresIn: Int64?

  let userID: String?
}
