import Encoding
import HTTP
import IdentityToolkit
import OIDC

/// The access token of a service account, exchanged when there is none and before it runs out.
final class AccessTokens {
  /// A token with less life left than this is renewed before it is used.
  private static let slack: Int64 = 300
  /// Used where the token endpoint does not tell a lifetime.
  private static let usualLifetime: Int64 = 3600

  let account: ServiceAccount
  private let transport: any Transport
  private let clock: any AdminClock
  private var held: (token: Secret, expiresAt: Int64)?
  private var isExchanging = false
  private var waiters: [CheckedContinuation<Result<Secret, AdminError>?, Never>] = []

  init(_ account: ServiceAccount, transport: any Transport, clock: any AdminClock) {
    self.account = account
    self.transport = transport
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

  private func newToken() async throws(AdminError) -> Secret {
    let assertion = try account.assertion(now: clock.now)
    let answer: TokenResponse
    do {
      answer = try await JWTBearerExchange(tokenEndpoint: account.tokenURL, assertion: assertion)
        .tokens(over: transport)
    } catch {
      throw AdminError(error, of: account)
    }
    guard let token = answer.accessToken else {
      throw AdminError(
        .invalidServiceAccount, "\(account.tokenURL.origin) answers without an access token",
        hint: "check the key's token_uri")
    }
    // A lifetime shorter than the slack would mean an exchange for every call, which still works.
    let lifetime = min(max(answer.expiresIn ?? Self.usualLifetime, 0), 86_400)
    held = (token, clock.now + lifetime)
    return token
  }
}

extension AdminError {
  /// Puts a refused exchange into words that tell what to do about it.
  init(_ error: OIDCError, of account: ServiceAccount) {
    switch error.code {
    case .transport:
      self.init(.networkError, error.message, hint: error.hint)
    case .refused:
      self.init(
        .invalidServiceAccount, "\(account.clientEmail) gets no access token: \(error.message)",
        hint: Self.hint(error.providerError, error.providerWords ?? ""),
        serverName: error.providerError)
    default:
      self.init(
        .invalidServiceAccount, error.message,
        hint: "check the key's token_uri, and that nothing stands between")
    }
  }

  /// Google's token endpoint says most with `invalid_grant` and a sentence.
  private static func hint(_ name: String?, _ words: String) -> String {
    let words = words.lowercased()
    func says(_ text: String) -> Bool { words.contains(text) }
    switch name {
    case "invalid_grant" where says("timeframe") || says("iat") || says("expired"):
      return "check this machine's clock: the times in a signed request may be off by minutes only"
    case "invalid_grant" where says("signature") || says("key"):
      return "the key was deleted or is another account's: make a new key in the console"
    case "invalid_grant" where says("not found"):
      return "the service account was deleted: make another one, and a key for it"
    case "invalid_grant" where says("disabled"), "disabled_client", "account_disabled":
      return "the service account is switched off: enable it in the console"
    case "invalid_scope", "unauthorized_client", "access_denied":
      return "the account may not have these scopes: ask whoever administrates the organization"
    default:
      return "check in the console that the service account and this key of it exist"
    }
  }
}
