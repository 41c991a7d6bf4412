internal import Encoding
internal import IdentityToolkit

/// ID tokens of the old kind, which Google's servers give to a client that asks for no refresh token.
///
/// Measured: they are good for two weeks, have no `sub`, `auth_time` and `firebase`, and work in place of an ID token
/// for everything but session cookies.
enum LegacyToken {
  static let issuer = "https://identitytoolkit.google.com/"
  static let lifetime: Int64 = 1_209_600

  /// Whether the claims are those of such a token.
  static func has(_ claims: JSONObject) -> Bool { claims["iss"]?.string == issuer }

  static func claims(
    of account: Account, _ session: SignInSession, audience: String, tenant: String?,
    issuedAt: Int64
  ) -> JSONObject {
    var claims: JSONObject = [
      "iss": .string(issuer), "aud": .string(audience), "iat": .integer(issuedAt),
      "exp": .integer(issuedAt + lifetime), "user_id": .string(account.uid),
    ]
    if let email = account.email {
      claims["email"] = .string(email)
      claims["verified"] = .bool(account.isEmailVerified)
    }
    claims["sign_in_provider"] = .string(session.provider)
    var extra = account.customClaims
    for (name, value) in session.extraClaims.entries { extra[name] = value }
    if !extra.isEmpty { claims["extra_claims"] = .object(extra) }
    claims.set("tenant", tenant)
    return claims
  }

  /// The sign-in that such a token came from.
  static func session(of claims: JSONObject, _ account: Account) -> SignInSession {
    var session = SignInSession(
      provider: claims["sign_in_provider"]?.string ?? "",
      authTime: claims["iat"]?.integer ?? 0)
    let custom = account.customClaims
    for (name, value) in claims["extra_claims"]?.object?.entries ?? [] where custom[name] == nil {
      session.extraClaims[name] = value
    }
    return session
  }
}

extension Backend {
  /// Whether a request asks for a legacy token, by not asking for a secure one.
  func wantsLegacyToken(_ fields: Fields) throws(Refusal) -> Bool {
    guard rules[.googleAnswers] else { return false }
    return try fields.bool("returnSecureToken") != true
  }

  /// Makes a legacy token of a session and stores the account.
  func issueLegacyToken(
    for account: inout Account, _ session: SignInSession
  ) throws(Refusal) -> String {
    let token = try sign(
      LegacyToken.claims(
        of: account, session, audience: project.id, tenant: tenantID,
        issuedAt: max(now, session.authTime)), type: nil)
    accounts.save(&account)
    return token
  }
}
