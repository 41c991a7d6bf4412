public import System
import IdentityToolkit

/// A decoded ID token, whose signature is not verified.
public struct IDTokenResult: Sendable {
  /// The token.
  public let token: Secret

  /// All claims, including custom ones.
  public let claims: JSONObject

  /// When the token expires, in seconds since 1970.
  public let expirationDate: Int64?

  /// When the user last signed in or reauthenticated, in seconds since 1970.
  public let authDate: Int64?

  /// When the token was issued, in seconds since 1970.
  public let issuedAtDate: Int64?

  /// The provider of that sign-in.
  public let signInProvider: String?

  /// The kind of second factor of that sign-in.
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
