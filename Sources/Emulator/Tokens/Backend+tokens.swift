internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  static let tokenLifetime: Int64 = 3600

  /// Claim names a custom token or custom attributes may not use.
  static let reservedClaims = [
    "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat",
    "iss", "jti", "nbf", "nonce", "sub",
  ]

  /// Signs the account in: stores it and answers `idToken`, `refreshToken` and `expiresIn`.
  ///
  /// A nil `authTime` means the person has just proved who they are.
  func signIn(
    _ account: inout Account, provider: String, authTime: Int64? = nil,
    extraClaims: JSONObject = JSONObject()
  ) throws(Refusal) -> JSONObject {
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    if authTime == nil { account.lastLoginAt = site.clock.milliseconds }
    let session = RefreshSession(
      uid: account.uid, signInProvider: provider, authTime: authTime ?? now,
      extraClaims: extraClaims)
    var answer = JSONObject()
    answer["idToken"] = .string(try issueIDToken(for: &account, session))
    answer["refreshToken"] = .string(sessions.start(session))
    answer["expiresIn"] = .string(String(Self.tokenLifetime))
    return answer
  }

  /// Signs an ID token of a session and stores the account.
  func issueIDToken(for account: inout Account, _ session: RefreshSession) throws(Refusal) -> String
  {
    // A token of the second in which tokens were revoked must not be among the revoked.
    let issuedAt = max(now, account.validSince)
    account.lastRefreshAt = site.clock.milliseconds
    account.lastIssuedAt = issuedAt
    let claims = claims(of: account, session, issuedAt: issuedAt)
    do {
      let token = try site.keys.key(for: .idTokens).sign(claims)
      accounts.save(account)
      return token
    } catch {
      throw .internalFailure("the ID token could not be signed: \(error.message)")
    }
  }

  private func claims(
    of account: Account, _ session: RefreshSession, issuedAt: Int64
  ) -> JSONObject {
    var claims = JSONObject()
    claims.set("name", account.displayName)
    claims.set("picture", account.photoURL)
    for (name, value) in account.customAttributes?.entries ?? [] { claims[name] = value }
    for (name, value) in session.extraClaims.entries { claims[name] = value }
    if session.signInProvider == "anonymous" { claims["provider_id"] = "anonymous" }
    claims["iss"] = .string("https://securetoken.google.com/\(configuration.id)")
    claims["aud"] = .string(configuration.id)
    claims["auth_time"] = .integer(session.authTime)
    claims["user_id"] = .string(account.uid)
    claims["sub"] = .string(account.uid)
    claims["iat"] = .integer(issuedAt)
    claims["exp"] = .integer(issuedAt + Self.tokenLifetime)
    if let email = account.email {
      claims["email"] = .string(email)
      claims["email_verified"] = .bool(account.isEmailVerified)
    }
    var identities = JSONObject()
    for identity in account.identities {
      identities[identity.providerID] = .array([.string(identity.rawID)])
    }
    if let email = account.email { identities["email"] = .array([.string(email)]) }
    claims["firebase"] = .object([
      "identities": .object(identities), "sign_in_provider": .string(session.signInProvider),
    ])
    return claims
  }

  /// The account an ID token belongs to, after every check production makes.
  func verify(idToken token: String) throws(Refusal) -> VerifiedToken {
    let jwt: JWT
    do throws(JOSEError) {
      jwt = try JWT(decoding: token)
      try jwt.verify(try site.keys.verifiers(for: .idTokens), algorithms: [.rs256])
    } catch {
      throw Refusal(.invalidIDToken)
    }
    let claims = jwt.claims
    guard claims["iss"]?.string == "https://securetoken.google.com/\(configuration.id)",
      claims["aud"]?.string == configuration.id, let uid = claims["sub"]?.string,
      let issuedAt = claims["iat"]?.integer, let expires = claims["exp"]?.integer,
      let authTime = claims["auth_time"]?.integer
    else { throw Refusal(.invalidIDToken) }
    guard let account = accounts[uid: uid] else { throw Refusal(.userNotFound) }
    guard expires > now, issuedAt >= account.validSince else { throw Refusal(.tokenExpired) }
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    let reserved =
      Self.reservedClaims + [
        "name", "picture", "provider_id", "user_id", "email", "email_verified",
      ]
    var extra = JSONObject()
    for (name, value) in claims.entries
    where !reserved.contains(name) && account.customAttributes?[name] == nil {
      extra[name] = value
    }
    return VerifiedToken(
      account: account, authTime: authTime,
      signInProvider: claims["firebase"]?["sign_in_provider"]?.string ?? "custom",
      extraClaims: extra)
  }

  /// Refuses a sensitive change when the sign-in is too long ago.
  func requireRecentLogin(_ token: VerifiedToken) throws(Refusal) {
    guard now - token.authTime <= Int64(configuration.recentLoginMinutes) * 60 else {
      throw Refusal(.credentialTooOldLoginAgain)
    }
  }

  /// Kills every token of an account: ID tokens by their time, refresh tokens by name.
  func revokeTokens(of account: inout Account) {
    account.revokeTokens(now: now)
    sessions.revoke(uid: account.uid)
  }
}
