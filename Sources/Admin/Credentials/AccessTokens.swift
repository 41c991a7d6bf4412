import Encoding
import HTTP
import IdentityToolkit

/// The access token of a service account, exchanged when there is none and before it runs out.
final class AccessTokens {
  /// A token with less life left than this is renewed before it is used.
  private static let slack: Int64 = 300
  /// Used where the token endpoint does not tell a lifetime.
  private static let usualLifetime: Int64 = 3600

  let account: ServiceAccount
  private let connection: BackendConnection
  private let clock: any AdminClock
  private var held: (token: Secret, expiresAt: Int64)?
  private let exchange = SharedWork<Secret, AdminError>()

  init(_ account: ServiceAccount, transport: any Transport, clock: any AdminClock) {
    self.account = account
    connection = BackendConnection(transport: transport)
    self.clock = clock
  }

  /// A token that is good for a while.
  ///
  /// Callers at the same time share one exchange. When the caller that started it is cancelled, the
  /// others start another rather than fail for it.
  func token() async throws(AdminError) -> Secret {
    while true {
      if let held, held.expiresAt - clock.now > Self.slack { return held.token }
      if let token = try await exchange.share(newToken) { return token }
    }
  }

  /// Forgets a token that was refused, unless there is another one by now.
  func drop(_ token: Secret) {
    if held?.token == token { held = nil }
  }

  /// Sends the signed request (RFC 7523 section 2.1); sending it twice does no harm.
  private func newToken() async throws(AdminError) -> Secret {
    let assertion = try account.assertion(now: clock.now)
    let form = FormFields([
      ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
      ("assertion", assertion.reveal()),
    ])
    let answer: JSONObject
    do {
      answer = try await connection.send(
        .post(account.tokenURL, form: form), isRepeatable: true,
        redaction: Redaction(secrets: [assertion.reveal()]))
    } catch {
      throw AdminError(exchange: error, of: account)
    }
    guard let token = answer["access_token"]?.string, !token.isEmpty else {
      throw AdminError(
        .invalidServiceAccount, "\(account.tokenURL.origin) answers without an access token",
        hint: "check the key's token_uri")
    }
    // A lifetime shorter than the slack would mean an exchange for every call, which still works.
    let lifetime = min(max(answer["expires_in"]?.wholeNumber ?? Self.usualLifetime, 0), 86_400)
    held = (Secret(token), clock.now + lifetime)
    return Secret(token)
  }
}
