public import System

/// The claims of a verified token.
public struct VerifiedToken: Sendable {
  /// The user's uid: the claim `sub`.
  public let uid: String

  /// When the user last signed in, in seconds since 1970.
  let authTime: Int64

  /// All claims, including custom ones.
  public let claims: JSONObject
}
