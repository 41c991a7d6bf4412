public import Encoding

/// The tokens of one signed-in user.
public struct SessionTokens: Sendable {
  /// The ID token.
  public let idToken: Secret

  /// The refresh token, with which anyone can get ID tokens of this user.
  public let refreshToken: Secret

  /// When the ID token ends, in seconds since 1970.
  ///
  /// By the local clock, from a lifetime: it does not matter if that clock is wrong.
  public let expiresAt: Int64

  /// Puts tokens together.
  public init(idToken: Secret, refreshToken: Secret, expiresAt: Int64) {
    self.idToken = idToken
    self.refreshToken = refreshToken
    self.expiresAt = expiresAt
  }
}
