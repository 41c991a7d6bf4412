public import Encoding

/// What a token says that was issued to a person of the project and is still good.
public struct VerifiedToken: Sendable {
  /// The person's identifier: the claim `sub`.
  public let uid: String

  /// When the person last showed a credential, in seconds since 1970.
  public let authTime: Int64

  /// Every claim, custom ones too.
  public let claims: JSONObject
}
