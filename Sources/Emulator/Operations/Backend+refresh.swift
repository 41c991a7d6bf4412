internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// `securetoken v1/token`: a new ID token for a refresh token.
  func refresh(_ call: Call) throws(Refusal) -> JSONObject {
    guard let grant = try call.fields.string("grantType"), !grant.isEmpty else {
      throw Refusal(.missingGrantType)
    }
    guard grant == "refresh_token" else { throw Refusal(.invalidGrantType) }
    guard let token = try call.fields.string("refreshToken"), !token.isEmpty else {
      throw Refusal(.missingRefreshToken)
    }
    let session: RefreshSession
    switch sessions.state(of: token) {
    case .alive(let found): session = found
    case .revoked: throw Refusal(.tokenExpired)
    case .unknown: throw Refusal(.invalidRefreshToken)
    }
    guard var account = accounts[uid: session.uid] else { throw Refusal(.userNotFound) }
    guard !account.isDisabled else { throw Refusal(.userDisabled) }
    let idToken = try issueIDToken(for: &account, session)
    return [
      "access_token": .string(idToken), "expires_in": .string(String(Self.tokenLifetime)),
      "token_type": "Bearer", "refresh_token": .string(token), "id_token": .string(idToken),
      "user_id": .string(account.uid), "project_id": .string(projectNumber),
    ]
  }
}
