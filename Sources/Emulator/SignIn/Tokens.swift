internal import System
internal import OIDC
internal import IdentityToolkit

extension Backend {
  static let tokenLifetime: Int64 = 3600
  /// How many seconds after its `exp` a token is still valid (measured: 299 work, 300 do not).
  static let graceAfterExpiry: Int64 = 300

  var tokenIssuer: String { "https://securetoken.google.com/\(project.id)" }

  /// Signs the account in: stores it and returns `idToken`, `refreshToken` and `expiresIn`, or a legacy token.
  func signIn(
    _ account: inout Account, provider: String, extraClaims: JSONObject = JSONObject(),
    isLegacy: Bool = false
  ) throws(Refusal) -> JSONObject {
    account.lastLoginAt = nowMilliseconds
    var session = SignInSession(provider: provider, authTime: now)
    session.extraClaims = extraClaims
    return try issueTokens(for: &account, session, isLegacy: isLegacy)
  }

  /// Stores the account and returns the response members that hold a session's tokens: `idToken`, `refreshToken`
  /// and `expiresIn`, or a legacy token alone.
  func issueTokens(
    for account: inout Account, _ session: SignInSession, evenIfDisabled: Bool = false,
    isLegacy: Bool = false
  ) throws(Refusal) -> JSONObject {
    guard evenIfDisabled || !account.isDisabled else { throw Refusal(.userDisabled) }
    var session = session
    // A revocation in this very second ended the earlier sessions; it must not end this one.
    if rules[.revocableSessions] {
      session.authTime = max(session.authTime, account.sessionsMayBegin)
      account.newestSession = max(account.newestSession, session.authTime)
    }
    guard !isLegacy else {
      return ["idToken": .string(try issueLegacyToken(for: &account, session))]
    }
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

  /// Issues an ID token for a session and stores the account.
  func issueIDToken(for account: inout Account, _ session: SignInSession) throws(Refusal) -> String
  {
    account.lastRefreshAt = nowMilliseconds
    let token = try sign(claims(of: account, session))
    accounts.save(&account)
    return token
  }

  /// A token with these claims: signed with the key for its purpose, or unsigned.
  func sign(
    _ claims: JSONObject, for purpose: SigningKeys.Purpose = .idTokens, type: String? = "JWT"
  ) throws(Refusal) -> String {
    guard rules[.signedTokens] else { return UnsignedToken.make(claims) }
    do throws(JOSEError) {
      return try context.keys.key(for: purpose).sign(claims, type: type)
    } catch {
      throw .internalFailure("the token could not be signed: \(error.message)")
    }
  }

  private func claims(of account: Account, _ session: SignInSession) -> JSONObject {
    var claims = JSONObject()
    claims.set("name", account.displayName)
    claims.set("picture", account.photoURL)
    for (name, value) in account.customClaims.entries { claims[name] = value }
    for (name, value) in session.extraClaims.entries { claims[name] = value }
    // These claims come from the account only: no other claim replaces them, even if the account lacks them.
    for name in ReservedClaims.ofTheAccountAlone { claims[name] = nil }
    claims.set("email", account.email)
    // Measured: without an address the token lacks this claim, even if `emailVerified` is set.
    if account.email != nil || !rules[.googleAnswers] {
      claims.set("email_verified", account.emailVerified)
    }
    claims.set("phone_number", account.phoneNumber)
    if session.provider == "anonymous" { claims["provider_id"] = "anonymous" }
    let lastLogin = (account.lastLoginAt ?? account.lastRefreshAt ?? nowMilliseconds) / 1000
    claims["auth_time"] = .integer(rules[.revocableSessions] ? session.authTime : lastLogin)
    claims["user_id"] = .string(account.uid)
    claims["firebase"] = .object(firebaseClaims(of: account, session))
    let issuedAt = Self.issueTime(session) ?? now
    claims["iat"] = .integer(issuedAt)
    claims["exp"] = .integer(issuedAt + Self.tokenLifetime)
    claims["aud"] = .string(project.id)
    claims["iss"] = .string(tokenIssuer)
    claims["sub"] = .string(account.uid)
    return rules[.googleAnswers] ? Self.ordered(claims) : claims
  }

  /// The claims in the order of Google's servers: custom claims and the profile come first.
  private static func ordered(_ claims: JSONObject) -> JSONObject {
    let last = [
      "iss", "aud", "auth_time", "user_id", "sub", "iat", "exp", "email", "email_verified",
      "phone_number", "firebase",
    ]
    var ordered = JSONObject()
    for (name, value) in claims.entries where !last.contains(name) { ordered[name] = value }
    for name in last { ordered[name] = claims[name] }
    return ordered
  }

  /// The `iat` that a function's session claims set; Google's servers do not allow that.
  private static func issueTime(_ session: SignInSession) -> Int64? {
    // Only whole numbers that JavaScript represents exactly.
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
    // A manually edited token or credential may lack its provider.
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

  /// The ID token of a request; to Google's servers an empty one is an invalid token, not a missing one.
  func idToken(of fields: Fields) -> String? {
    rules[.googleAnswers] ? fields.value("idToken")?.string : fields.text("idToken")
  }

  /// Verifies an ID token with every check the rules ask for.
  func verify(idToken token: String) throws(Refusal) -> VerifiedIDToken {
    let claims =
      rules[.signedTokens] ? try signedClaims(token) : context.tokenReader.claims(of: token)
    // Firebase's emulator fails with a 500 on a JWT that is not a Firebase ID token.
    guard let claims else { throw Refusal(.invalidIDToken) }
    let isLegacy = rules[.googleAnswers] && LegacyToken.has(claims)
    guard isLegacy || claims["firebase"]?.object != nil else { throw Refusal(.invalidIDToken) }
    try check(tenant: isLegacy ? claims["tenant"] : claims["firebase"]?["tenant"])
    guard let uid = claims["user_id"]?.string, let account = accounts[uid: uid] else {
      throw Refusal(.userNotFound)
    }
    // The start of the session counts, not of the token: a refreshed token ends with its session (measured).
    let start = rules[.revocableSessions] && !isLegacy ? claims["auth_time"] : claims["iat"]
    guard isAlive(start, since: account.validSince) else { throw Refusal(.tokenExpired) }
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    let session =
      isLegacy ? LegacyToken.session(of: claims, account) : session(of: claims, account)
    return VerifiedIDToken(account: account, session: session, isLegacy: isLegacy)
  }

  /// Whether a session began no earlier than the last revocation of its account's sessions;
  /// without one, it needs no start.
  private func isAlive(_ start: JSON?, since: Int64?) -> Bool {
    guard let since else { return true }
    return ScriptValue.number(start).map { $0 >= Double(since) } ?? false
  }

  private func signedClaims(_ token: String) throws(Refusal) -> JSONObject {
    let jwt: JWT
    do throws(JOSEError) {
      jwt = try JWT(decoding: token)
      try jwt.verify(try context.keys.verifiers(for: .idTokens), algorithms: [.rs256])
    } catch {
      throw Refusal(.invalidIDToken)
    }
    let claims = jwt.claims
    let isLegacy = rules[.googleAnswers] && LegacyToken.has(claims)
    guard isLegacy || claims["iss"]?.string == tokenIssuer && claims["auth_time"]?.integer != nil,
      claims["aud"]?.string == project.id, claims["iat"]?.integer != nil,
      let expiry = claims["exp"]?.integer, now < expiry + Self.graceAfterExpiry
    else { throw Refusal(.invalidIDToken) }
    return claims
  }

  private func check(tenant claim: JSON?) throws(Refusal) {
    let tenant = claim?.string.flatMap { $0.isEmpty ? nil : $0 }
    guard let tenantID else {
      guard tenant == nil else {
        throw Refusal(
          verbatim: "((Parsed token that belongs to tenant in a non-tenant project.))")
      }
      return
    }
    // Firebase's emulator accepts a token without a tenant and looks up its uid among the tenant's accounts.
    if tenant == nil, !rules[.signedTokens] { return }
    guard let tenant, sameText(tenant, tenantID) else {
      throw rules[.googleAnswers]
        ? Refusal(.tenantIDMismatch, "Specified tenant ID mismatches with the ID token.")
        : Refusal(.tenantIDMismatch)
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

  func requireRecentLogin(_ token: VerifiedIDToken) throws(Refusal) {
    guard rules[.recentLogin] else { return }
    guard now - token.session.authTime <= Int64(configuration.recentLoginMinutes) * 60 else {
      throw Refusal(.credentialTooOldLoginAgain)
    }
  }

  /// Ends every session of an account, with its ID tokens and refresh tokens.
  func revokeTokens(of account: inout Account) {
    guard rules[.revocableSessions] else {
      account.validSince = now
      return
    }
    account.revokeTokens(now: now)
  }
}

/// The account and session of a valid Firebase ID token.
struct VerifiedIDToken {
  let account: Account
  /// The session the token was issued for, which the next token continues.
  let session: SignInSession
  /// Whether it is a legacy token, which cannot be exchanged for a session cookie.
  var isLegacy = false
}

/// Claim names that belong to the token itself.
enum ReservedClaims {
  /// Names a custom token or custom attributes may not use.
  static let forbidden = [
    "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf",
    "auth_time", "firebase", "at_hash", "c_hash",
  ]

  /// Names of claims that only the account's own fields set.
  static let ofTheAccountAlone = ["email", "email_verified", "phone_number", "provider_id"]

  /// Names of claims about the account, which never come from the session.
  static let ofTheAccount = ofTheAccountAlone + ["name", "picture", "user_id"]
}

/// The tokens of Firebase's emulator: unsigned JWTs (RFC 7519 section 6).
enum UnsignedToken {
  private static let header = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))

  static func make(_ claims: JSONObject) -> String {
    "\(header).\(ScriptNumber.rewritten(.object(claims)).encodedBase64URL())."
  }

  /// The claims of a token, without a check of its signature; nil if it is not a JWT.
  static func claims(of token: String) -> JSONObject? { payload(of: token)?.object }

  /// The payload of a token, without a check of its signature; nil if it is not a JWT.
  ///
  /// The library of Firebase's emulator checks only the digits of the three parts. It reads a payload that is not JSON
  /// as a string, unless the header's `typ` is `JWT`.
  static func payload(of token: String) -> JSON? {
    // Split by bytes: splitting a long text by characters takes longer than all the rest.
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty,
      parts.allSatisfy({ $0.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) } })
    else { return nil }
    var isTyped = true
    if !parts[0].elementsEqual(header.utf8) {
      // The library reads each byte of the header as one character.
      let text = String(String.UnicodeScalarView(bytes(of: parts[0]).map { Unicode.Scalar($0) }))
      guard let header = ScriptValue.parse(text), ScriptValue.isTrue(header) else { return nil }
      isTyped = header["typ"]?.string == "JWT"
    }
    let bytes = bytes(of: parts[1])
    if let json = try? ScriptValue.parse(bytes) { return json }
    // Invalid UTF-8 becomes replacement characters.
    return isTyped ? nil : .string(String(decoding: bytes, as: UTF8.self))
  }

  private static func bytes(of part: Substring.UTF8View) -> [UInt8] {
    let text = String(Substring(part))
    return Base64URL.decode(text) ?? Base64.decodeLeniently(text)
  }
}

/// Reads the claims of tokens without checking signatures, and caches the last one: routing and the
/// operation both read the token of a request.
struct TokenReader {
  private var last: (token: ExactString, claims: JSONObject?)?

  mutating func claims(of token: String) -> JSONObject? {
    let token = ExactString(string: token)
    if let last, last.token == token { return last.claims }
    let claims = UnsignedToken.claims(of: token.string)
    last = (token, claims)
    return claims
  }
}
