import HTTP
import IdentityToolkit
import OIDC
public import System

extension Admin {
  /// The `aud` of every custom token.
  static let customTokenAudience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
  /// The lifetime of a custom token in seconds.
  private static let customTokenLifetime: Int64 = 3600
  /// The issuer when there is no key; Firebase's Admin SDKs use the same name.
  private static let nobody = "firebase-auth-emulator@example.com"

  /// Creates a token with which a client signs in as this uid; `claims` are added to its ID tokens.
  ///
  /// On an emulator without `serviceAccount`, it is signed by the emulator's own service account,
  /// or not at all if the emulator has none.
  public func createCustomToken(
    _ uid: String, claims: JSONObject? = nil
  ) async throws(AdminError) -> Secret {
    try Self.check(uid: uid)
    let claims = try claims.map { (claims) throws(AdminError) in
      try CustomClaims.checked(.object(claims))
    }
    guard serviceAccount == nil, case .emulator(let emulator) = target.backend else {
      return try customToken(uid, claims, by: serviceAccount, now: clock.now)
    }
    let project = PercentEncoding.encode(target.projectID)
    let key = try await emulated(
      "\(emulator.origin)/emulator/v1/projects/\(project)/serviceAccount")
    guard let key else { return try customToken(uid, claims, by: nil, now: clock.now) }
    // The emulator's clock may have been moved, and the times must fit it.
    let time = try await emulated("\(emulator.origin)/emulator/v1/clock")?["seconds"]?.integer
    let account = try ServiceAccount(json: .object(key), place: "the emulator's service account")
    return try customToken(uid, claims, by: account, now: time ?? clock.now)
  }

  private func customToken(
    _ uid: String, _ claims: JSONObject?, by account: ServiceAccount?, now: Int64
  ) throws(AdminError) -> Secret {
    let issuer = account?.clientEmail ?? Self.nobody
    var token: JSONObject = [
      "iss": .string(issuer), "sub": .string(issuer), "aud": .string(Self.customTokenAudience),
      "uid": .string(uid), "iat": .integer(now), "exp": .integer(now + Self.customTokenLifetime),
    ]
    if let claims, claims.count > 0 { token["claims"] = .object(claims) }
    if let tenantID { token["tenant_id"] = .string(tenantID) }
    guard let account else {
      let header: JSON = ["alg": "none", "typ": "JWT"]
      return Secret(
        "\(Base64URL.encode(header.encodedBytes())).\(Base64URL.encode(JSON.object(token).encodedBytes()))."
      )
    }
    do throws(JOSEError) {
      return Secret(try account.key.sign(token))
    } catch {
      throw AdminError(.invalidServiceAccount, error.message, hint: error.hint)
    }
  }

  /// Fetches JSON that only luath's emulator has; nil from another one.
  private func emulated(_ address: String) async throws(AdminError) -> JSONObject? {
    guard let url = WebURL(address) else { return nil }
    let request = HTTPRequest(url: url, headers: ["Authorization": "Bearer owner"])
    do {
      let response = try await transport.send(request)
      return response.status == 200 ? try? response.json().object : nil
    } catch {
      throw AdminError(.networkError, error.message, hint: error.hint)
    }
  }

  /// Verifies an ID token: issued by the backend for this project and tenant, and still valid.
  ///
  /// With `checkRevoked`, also calls the backend to check that the account exists, is enabled, and
  /// has not revoked its sessions since.
  public func verifyIDToken(
    _ token: Secret, checkRevoked: Bool = false
  ) async throws(AdminError) -> VerifiedToken {
    try await verify(token, as: .idToken, checkRevoked)
  }

  /// Verifies a session cookie by the same rules as `verifyIDToken`.
  public func verifySessionCookie(
    _ cookie: Secret, checkRevoked: Bool = false
  ) async throws(AdminError) -> VerifiedToken {
    try await verify(cookie, as: .sessionCookie, checkRevoked)
  }

  private func verify(
    _ token: Secret, as kind: TokenKind, _ checkRevoked: Bool
  ) async throws(AdminError) -> VerifiedToken {
    let verified = try await verifier.verify(token, as: kind, tenantID: tenantID, now: clock.now)
    guard checkRevoked else { return verified }
    // A project's administrator gets tokens of all tenants, whose accounts are in their tenants.
    let tenant = verified.claims["firebase"]?["tenant"]?.string
    let owner = if tenantID == nil, let tenant { try forTenant(tenant) } else { self }
    let user = try await owner.getUser(verified.uid)
    guard !user.isDisabled else {
      throw AdminError(
        .userDisabled, "the account of this \(kind.noun) is disabled",
        hint: "refuse the user, or enable the account with admin:updateUser")
    }
    if let since = user.tokensValidAfterTime, verified.authTime < since / 1000 {
      throw AdminError(kind.revoked)
    }
    return verified
  }

  /// Creates a session cookie from an ID token, valid for `lifetime` seconds.
  public func createSessionCookie(
    idToken: Secret, lifetime: Int64
  ) async throws(AdminError) -> Secret {
    guard (300...1_209_600).contains(lifetime) else {
      throw AdminError(.invalidSessionCookieDuration)
    }
    let answer = try await call(
      AdminRequest(
        ":createSessionCookie",
        ["idToken": .string(idToken.reveal()), "validDuration": .string(String(lifetime))]))
    guard let cookie = answer["sessionCookie"]?.string else {
      throw AdminError(.internalError, "the backend's response has no session cookie")
    }
    return Secret(cookie)
  }
}
