public import Encoding
import IdentityToolkit

/// An ID token with what it says, read on this machine without checking the signature.
public struct IDTokenResult: Sendable {
  /// The token.
  public let token: Secret

  /// Every claim, custom ones too.
  public let claims: JSONObject

  /// When the token stops being valid, in seconds since 1970.
  public let expirationDate: Int64?

  /// When the user last showed a credential, in seconds since 1970.
  public let authDate: Int64?

  /// When the token was issued, in seconds since 1970.
  public let issuedAtDate: Int64?

  /// The provider of that credential.
  public let signInProvider: String?

  /// The kind of second factor that was used.
  public let signInSecondFactor: String?

  init(_ token: Secret) throws(AuthError) {
    let decoded: IDTokenClaims
    do {
      decoded = try IDTokenClaims(decoding: token.reveal())
    } catch {
      throw AuthError(.malformedJWT, error.message)
    }
    self.token = token
    claims = decoded.claims
    expirationDate = decoded.expiresAt
    authDate = decoded.authTime
    issuedAtDate = decoded.issuedAt
    signInProvider = decoded.signInProvider
    signInSecondFactor = decoded.signInSecondFactor
  }
}
