internal import System
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
        ExactString(string: read.projectID) == ExactString(string: project.id)
      else { throw Refusal(.invalidRefreshToken) }
      // A request can name a tenant for a token that names none.
      if let tenantID,
        read.tenantID.map({ ExactString(string: $0) }) != ExactString(string: tenantID)
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
}
