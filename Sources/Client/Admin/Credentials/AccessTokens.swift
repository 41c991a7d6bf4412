import System
import HTTP
import IdentityToolkit

/// The access token of a service account, requested when needed and renewed before it expires.
final class AccessTokens {
  /// Tokens with a shorter remaining lifetime, in seconds, are renewed before use.
  private static let slack: Int64 = 300
  /// The lifetime in seconds when the token endpoint returns none.
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

  /// Returns a token that is valid for some time.
  ///
  /// Concurrent callers share one request. When the caller that started it is canceled, the others
  /// start another one.
  func token() async throws(AdminError) -> Secret {
    while true {
      if let held, held.expiresAt - clock.now > Self.slack { return held.token }
      if let token = try await exchange.share(newToken) { return token }
    }
  }

  /// Drops a token that was rejected, unless it was replaced already.
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
    // A lifetime below `slack` would mean one exchange per call, which still works.
    let lifetime = min(max(answer["expires_in"]?.wholeNumber ?? Self.usualLifetime, 0), 86_400)
    held = (Secret(token), clock.now + lifetime)
    return Secret(token)
  }
}
