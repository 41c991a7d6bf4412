internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  static let tokenLifetime: Int64 = 3600

  var tokenIssuer: String { "https://securetoken.google.com/\(project.id)" }

  /// Signs the account in: stores it and answers `idToken`, `refreshToken` and `expiresIn`.
  ///
  /// A nil `authTime` means the person has just proved who they are.
  func signIn(
    _ account: inout Account, provider: String, authTime: Int64? = nil,
    extraClaims: JSONObject = JSONObject()
  ) throws(Refusal) -> JSONObject {
    if authTime == nil { account.lastLoginAt = nowMilliseconds }
    var session = SignInSession(provider: provider, authTime: authTime ?? now)
    session.extraClaims = extraClaims
    return try issueTokens(for: &account, session)
  }

  /// Stores the account and answers `idToken`, `refreshToken` and `expiresIn` of a session.
  func issueTokens(
    for account: inout Account, _ session: SignInSession, evenIfDisabled: Bool = false
  ) throws(Refusal) -> JSONObject {
    guard evenIfDisabled || !account.isDisabled else { throw Refusal(.userDisabled) }
    var answer = JSONObject()
    answer["idToken"] = .string(try issueIDToken(for: &account, session))
    answer["refreshToken"] = .string(startSession(session, of: account))
    answer["expiresIn"] = .string(String(Self.tokenLifetime))
    return answer
  }

  private func startSession(_ session: SignInSession, of account: Account) -> String {
    guard rules[.revocableSessions] else {
      return ReadableRefreshToken(
        uid: account.uid, projectID: project.id, tenantID: tenantID, session: session
      ).text
    }
    return sessions.start(session, uid: account.uid)
  }

  /// Makes an ID token of a session and stores the account.
  func issueIDToken(for account: inout Account, _ session: SignInSession) throws(Refusal) -> String
  {
    // A token of the second in which tokens were revoked must not be among the revoked.
    let issuedAt = rules[.revocableSessions] ? max(now, account.validSince ?? 0) : now
    account.lastRefreshAt = nowMilliseconds
    account.lastIssuedAt = issuedAt
    let token = try sign(claims(of: account, session, issuedAt: issuedAt))
    accounts.save(&account)
    return token
  }

  /// A token with these claims: signed with the key for its purpose, or by nobody.
  func sign(
    _ claims: JSONObject, for purpose: SigningKeys.Purpose = .idTokens
  ) throws(Refusal) -> String {
    guard rules[.signedTokens] else { return UnsignedToken.make(claims) }
    do throws(JOSEError) {
      return try site.keys.key(for: purpose).sign(claims)
    } catch {
      throw .internalFailure("the token could not be signed: \(error.message)")
    }
  }

  private func claims(
    of account: Account, _ session: SignInSession, issuedAt: Int64
  ) -> JSONObject {
    var claims = JSONObject()
    claims.set("name", account.displayName)
    claims.set("picture", account.photoURL)
    for (name, value) in account.customClaims.entries { claims[name] = value }
    for (name, value) in session.extraClaims.entries { claims[name] = value }
    // What the account itself says is never anybody's claim, not even where it says nothing.
    for name in ReservedClaims.ofTheAccountAlone { claims[name] = nil }
    claims.set("email", account.email)
    claims.set("email_verified", account.emailVerified)
    claims.set("phone_number", account.phoneNumber)
    if session.provider == "anonymous" { claims["provider_id"] = "anonymous" }
    let lastLogin = (account.lastLoginAt ?? account.lastRefreshAt ?? nowMilliseconds) / 1000
    claims["auth_time"] = .integer(rules[.revocableSessions] ? session.authTime : lastLogin)
    claims["user_id"] = .string(account.uid)
    claims["firebase"] = .object(firebaseClaims(of: account, session))
    let issuedAt = Self.issueTime(session) ?? issuedAt
    claims["iat"] = .integer(issuedAt)
    claims["exp"] = .integer(issuedAt + Self.tokenLifetime)
    claims["aud"] = .string(project.id)
    claims["iss"] = .string(tokenIssuer)
    claims["sub"] = .string(account.uid)
    return claims
  }

  /// The time that a function's session claims set, which Google's servers do not let them.
  private static func issueTime(_ session: SignInSession) -> Int64? {
    // What a number of JavaScript holds exactly.
    session.extraClaims["iat"]?.integer.flatMap { $0 != 0 && $0.magnitude < 1 << 53 ? $0 : nil }
  }

  private func firebaseClaims(of account: Account, _ session: SignInSession) -> JSONObject {
    var identities = JSONObject()
    if let email = account.email { identities["email"] = .array([.string(email)]) }
    for identity in account.providers where identity.providerID != "password" {
      let before = identities[identity.providerID]?.array ?? []
      identities[identity.providerID] = .array(before + [.string(identity.rawID)])
    }
    var firebase: JSONObject = ["identities": .object(identities)]
    // A token or credential that was edited by hand may lack its provider.
    if !session.provider.isEmpty { firebase["sign_in_provider"] = .string(session.provider) }
    if let factor = session.secondFactor {
      firebase["sign_in_second_factor"] = .string(factor.provider)
      firebase["second_factor_identifier"] = .string(factor.id)
    }
    firebase.set("tenant", tenantID)
    if let attributes = session.attributes { firebase["sign_in_attributes"] = attributes }
    return firebase
  }

  // MARK: Checking

  /// The account an ID token belongs to, after every check the rules ask for.
  func verify(idToken token: String) throws(Refusal) -> VerifiedToken {
    let claims = rules[.signedTokens] ? try signedClaims(token) : site.tokenReader.claims(of: token)
    // Firebase's emulator breaks on a JWT of another maker, with a 500.
    guard let claims, claims["firebase"]?.object != nil else { throw Refusal(.invalidIDToken) }
    try check(tenantOf: claims)
    guard let uid = claims["user_id"]?.string, let account = accounts[uid: uid] else {
      throw Refusal(.userNotFound)
    }
    let isExpired = rules[.signedTokens] && (claims["exp"]?.integer ?? 0) <= now
    guard !isExpired, isAlive(claims["iat"], since: account.validSince) else {
      throw Refusal(.tokenExpired)
    }
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    return VerifiedToken(account: account, session: session(of: claims, account))
  }

  /// Whether a token was issued when an account's tokens had been revoked for the last time; where none
  /// ever were, a time is not even needed.
  private func isAlive(_ issuedAt: JSON?, since: Int64?) -> Bool {
    guard let since else { return true }
    return ScriptValue.number(issuedAt).map { $0 >= Double(since) } ?? false
  }

  private func signedClaims(_ token: String) throws(Refusal) -> JSONObject {
    let jwt: JWT
    do throws(JOSEError) {
      jwt = try JWT(decoding: token)
      try jwt.verify(try site.keys.verifiers(for: .idTokens), algorithms: [.rs256])
    } catch {
      throw Refusal(.invalidIDToken)
    }
    guard jwt.claims["iss"]?.string == tokenIssuer, jwt.claims["aud"]?.string == project.id,
      jwt.claims["auth_time"]?.integer != nil,
      jwt.claims["iat"]?.integer != nil
    else { throw Refusal(.invalidIDToken) }
    return jwt.claims
  }

  private func check(tenantOf claims: JSONObject) throws(Refusal) {
    let tenant = claims["firebase"]?["tenant"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    guard let tenantID else {
      guard tenant == nil else {
        throw Refusal(
          verbatim: "((Parsed token that belongs to tenant in a non-tenant project.))")
      }
      return
    }
    // Firebase's emulator then looks among the tenant's accounts, whoever made the token.
    if tenant == nil, !rules[.signedTokens] { return }
    guard let tenant, ExactString(string: tenant) == ExactString(string: tenantID) else {
      throw Refusal(.tenantIDMismatch)
    }
  }

  private func session(of claims: JSONObject, _ account: Account) -> SignInSession {
    let firebase = claims["firebase"]
    var session = SignInSession(
      provider: firebase?["sign_in_provider"]?.string ?? "",
      authTime: claims["auth_time"]?.integer ?? 0)
    if let id = firebase?["second_factor_identifier"]?.string,
      let provider = firebase?["sign_in_second_factor"]?.string
    {
      session.secondFactor = SignInSession.UsedFactor(id: id, provider: provider)
    }
    session.attributes = firebase?["sign_in_attributes"]
    let custom = account.customClaims
    for (name, value) in claims.entries
    where !ReservedClaims.forbidden.contains(name) && !ReservedClaims.ofTheAccount.contains(name)
      && custom[name] == nil
    {
      session.extraClaims[name] = value
    }
    return session
  }

  /// Refuses a sensitive change when the sign-in is too long ago.
  func requireRecentLogin(_ token: VerifiedToken) throws(Refusal) {
    guard rules[.recentLogin] else { return }
    guard now - token.session.authTime <= Int64(configuration.recentLoginMinutes) * 60 else {
      throw Refusal(.credentialTooOldLoginAgain)
    }
  }

  /// Kills every token of an account: ID tokens by their time, refresh tokens by name.
  func revokeTokens(of account: inout Account) {
    guard rules[.revocableSessions] else {
      account.validSince = now
      return
    }
    account.revokeTokens(now: now)
    sessions.revoke(uid: account.uid)
  }
}
