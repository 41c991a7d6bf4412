import System

/// The tokens of one signed-in user.
public struct SessionTokens: Sendable {
  /// The ID token.
  let idToken: Secret

  /// The refresh token, with which anyone can get ID tokens of this user.
  let refreshToken: Secret

  /// When the ID token expires, in seconds since 1970.
  ///
  /// It is computed from the local clock and the lifetime, so a wrong clock does not matter.
  let expiresAt: Int64
}
