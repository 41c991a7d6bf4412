internal import System

/// The state of one provider: browser sessions, running sign-ins, codes, tokens and consents.
final class ProviderMemory {
  struct Consent: Hashable {
    let email: ExactString
    let clientID: ExactString
    let scope: ExactString
  }

  var sessions = BoundedTable<ProviderSession>(limit: 4096)
  var flows = BoundedTable<PageFlow>(limit: 4096)
  var codes = BoundedTable<AuthorizationCode>(limit: 8192)
  var accessTokens = BoundedTable<AccessToken>(limit: 16_384)
  var refreshTokens = BoundedTable<RefreshToken>(limit: 16_384)
  var devices = BoundedTable<DeviceRequest>(limit: 4096)
  var userCodes = BoundedTable<DeviceRequest>(limit: 4096)
  /// Pending questions whether to sign out.
  var logouts = BoundedTable<PendingLogout>(limit: 4096)
  private var consents: Set<Consent> = []

  /// Withdraws all tokens from one consent.
  func withdraw(family: String) {
    accessTokens.removeAll { $0.grant.family == family }
    refreshTokens.removeAll { $0.grant.family == family }
  }

  func hasConsent(of email: String, to clientID: String, scopes: [String]) -> Bool {
    scopes.allSatisfy { consents.contains(Self.consent(email, clientID, $0)) }
  }

  func rememberConsent(of email: String, to clientID: String, scopes: [String]) {
    if consents.count > 65_536 { consents.removeAll() }
    for scope in scopes { consents.insert(Self.consent(email, clientID, scope)) }
  }

  private static func consent(_ email: String, _ clientID: String, _ scope: String) -> Consent {
    Consent(
      email: ExactString(email), clientID: ExactString(clientID), scope: ExactString(scope))
  }
}
