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
  private var isExchanging = false
  private var waiters: [CheckedContinuation<Result<Secret, AdminError>?, Never>] = []

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
      guard isExchanging else { return try await exchange().get() }
      if let result = await withCheckedContinuation({ waiters.append($0) }) {
        return try result.get()
      }
    }
  }

  /// Forgets a token that was refused, unless there is another one by now.
  func drop(_ token: Secret) {
    if held?.token == token { held = nil }
  }

  private func exchange() async -> Result<Secret, AdminError> {
    isExchanging = true
    let result: Result<Secret, AdminError>
    do throws(AdminError) {
      result = .success(try await newToken())
    } catch {
      result = .failure(error)
    }
    isExchanging = false
    let waiting = waiters
    waiters = []
    let isOver = if case .failure = result { Task.isCancelled } else { false }
    for waiter in waiting { waiter.resume(returning: isOver ? nil : result) }
    return result
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
