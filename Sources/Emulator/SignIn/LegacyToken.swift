internal import System
internal import IdentityToolkit

/// The old kind of ID token, which Google's servers issue to a client that does not ask for a refresh token.
///
/// Measured: it is valid for two weeks, has no `sub`, `auth_time` and `firebase`, and works in place of an ID
/// token for everything but session cookies.
enum LegacyToken {
  static let issuer = "https://identitytoolkit.google.com/"
  static let lifetime: Int64 = 1_209_600

  /// Whether the claims are those of a legacy token.
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

  /// The session a legacy token was issued for.
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
  /// Whether a request asks for a legacy token: its `returnSecureToken` is not true.
  func wantsLegacyToken(_ fields: Fields) throws(Refusal) -> Bool {
    guard rules[.googleAnswers] else { return false }
    return try fields.bool("returnSecureToken") != true
  }

  /// Issues a legacy token for a session and stores the account.
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
