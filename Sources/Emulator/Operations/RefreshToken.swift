internal import System
internal import OIDC
internal import IdentityToolkit

extension Backend {
  /// `securetoken v1/token`: issues a new ID token for a refresh token.
  func refresh(_ call: Call) throws(Refusal) -> JSONObject {
    guard let grant = try call.fields.string("grantType"), !grant.isEmpty else {
      throw Refusal(.missingGrantType)
    }
    guard grant == "refresh_token" else { throw Refusal(.invalidGrantType) }
    guard let token = try call.fields.string("refreshToken"), !token.isEmpty else {
      throw Refusal(.missingRefreshToken)
    }
    var (account, session) = try session(of: token)
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    let idToken = try issueIDToken(for: &account, session)
    return [
      "access_token": .string(idToken), "expires_in": .string(String(Self.tokenLifetime)),
      "token_type": "Bearer", "refresh_token": .string(token), "id_token": .string(idToken),
      "user_id": .string(account.uid), "project_id": .string(project.number),
    ]
  }

  private func session(of token: String) throws(Refusal) -> (Account, SignInSession) {
    guard rules[.revocableSessions] else {
      guard let read = ReadableRefreshToken(token),
        sameText(read.projectID, project.id)
      else { throw Refusal(.invalidRefreshToken) }
      // A request can name a tenant for a token that names none.
      if let tenantID,
        !sameText(read.tenantID, tenantID)
      {
        throw Refusal(.tenantIDMismatch)
      }
      guard let account = accounts[uid: read.uid] else { throw Refusal(.invalidRefreshToken) }
      return (account, read.session)
    }
    switch sessions.state(of: token) {
    case .alive(let uid, let session):
      guard let account = accounts[uid: uid] else { throw Refusal(.userNotFound) }
      // Measured: a session that began in the very second of `validSince` stays valid.
      guard session.authTime >= account.validSince ?? 0 else { throw Refusal(.tokenExpired) }
      return (account, session)
    case .orphaned(let uid):
      throw Refusal(accounts[uid: uid] == nil ? .userNotFound : .tokenExpired)
    case .unknown: throw Refusal(.invalidRefreshToken)
    }
  }

  /// The shortest and the longest lifetime of a session cookie, in seconds.
  private static let cookieLifetimes: ClosedRange<Double> = 300...1_209_600

  /// `projects:createSessionCookie`: issues a cookie with the claims of an ID token, another
  /// issuer and a longer lifetime.
  func createSessionCookie(_ call: Call) throws(Refusal) -> JSONObject {
    guard let idToken = idToken(of: call.fields) else { throw Refusal(.missingIDToken) }
    var duration = ScriptNumber.parse(call.fields.text("validDuration") ?? "0") ?? 0
    // Firebase's emulator treats 0 like a missing duration.
    if duration == 0, !(rules[.googleAnswers] && call.fields.has("validDuration")) {
      duration = Self.cookieLifetimes.upperBound
    }
    guard Self.cookieLifetimes.contains(duration) else { throw Refusal(.invalidDuration) }
    guard try !verify(idToken: idToken).isLegacy else { throw Refusal(.invalidIDToken) }
    guard var claims = UnsignedToken.claims(of: idToken) else { throw Refusal(.invalidIDToken) }
    let audience = claims["aud"]?.string ?? project.id
    claims["iat"] = .integer(now)
    claims["exp"] =
      duration == duration.rounded()
      ? .integer(now + Int64(duration)) : .number(Double(now) + duration)
    claims["iss"] = .string("https://session.firebase.google.com/\(audience)")
    // Measured: the header of a session cookie has no `typ`.
    let type: String? = rules[.googleAnswers] ? nil : "JWT"
    return ["sessionCookie": .string(try sign(claims, for: .sessionCookies, type: type))]
  }
}

/// The refresh tokens of Firebase's emulator: they contain the whole session and never expire.
struct ReadableRefreshToken {
  let uid: String
  let projectID: String
  let tenantID: String?
  let session: SignInSession

  var text: String {
    var object: JSONObject = [
      "_AuthEmulatorRefreshToken": "DO NOT MODIFY", "localId": .string(uid),
      "provider": .string(session.provider), "extraClaims": .object(session.extraClaims),
      "projectId": .string(projectID),
    ]
    if let factor = session.secondFactor {
      object["secondFactor"] = [
        "identifier": .string(factor.id), "provider": .string(factor.provider),
      ]
    }
    object.set("tenantId", tenantID)
    return Base64.encode(JSON.object(object).encodedBytes())
  }

}

extension ReadableRefreshToken {
  /// Parses a token, whose fields may be missing; nil if it is not a token of this kind.
  init?(_ text: String) {
    guard let json = try? JSON.parse(Base64.decodeLeniently(text)),
      ScriptValue.isTrue(json["_AuthEmulatorRefreshToken"])
    else { return nil }
    var session = SignInSession(provider: json["provider"]?.string ?? "", authTime: 0)
    session.extraClaims = json["extraClaims"]?.object ?? JSONObject()
    if let factor = json["secondFactor"], let id = factor["identifier"]?.string,
      let provider = factor["provider"]?.string
    {
      session.secondFactor = SignInSession.UsedFactor(id: id, provider: provider)
    }
    self.init(
      uid: json["localId"]?.string ?? "", projectID: json["projectId"]?.string ?? "",
      tenantID: json["tenantId"]?.string, session: session)
  }
}
