import Encoding
import HTTP
import IdentityToolkit

/// The tokens of one signed-in user, renewed before they run out.
final class Session {
  /// A token with less life left than this is renewed before it is used.
  static let slack: Int64 = 300

  /// Used where neither the answer nor the token tells a lifetime.
  private static let usualLifetime: Int64 = 3600

  /// A year; no backend means more, and times far out would overflow.
  private static let longestLifetime: Int64 = 31_536_000

  private(set) var idToken: Secret
  private(set) var refreshToken: Secret

  /// By the local clock, from a lifetime: it does not matter if that clock is wrong.
  private var expiresAt: Int64

  /// Grows when tokens are adopted, so that a renewal that was under way meanwhile is dropped.
  private var generation = 0

  private var isRefreshing = false
  private var waiters: [CheckedContinuation<Result<Secret, BackendError>, Never>] = []

  /// Takes the tokens of a sign-in's answer.
  init(_ answer: JSONObject, now: Int64) throws(AuthError) {
    guard let idToken = answer["idToken"]?.string, !idToken.isEmpty,
      let refreshToken = answer["refreshToken"]?.string, !refreshToken.isEmpty
    else {
      throw AuthError(
        .invalidUserToken, "the backend accepted the sign-in but sent no tokens",
        hint: "check that the target is an Identity Toolkit backend")
    }
    self.idToken = Secret(idToken)
    self.refreshToken = Secret(refreshToken)
    expiresAt = now + Self.lifetime(answer["expiresIn"]?.wholeNumber, of: idToken)
  }

  /// Takes over the tokens an answer brings, if it brings any.
  func adopt(_ answer: JSONObject, now: Int64) {
    guard let idToken = answer["idToken"]?.string, !idToken.isEmpty else { return }
    self.idToken = Secret(idToken)
    if let refreshToken = answer["refreshToken"]?.string, !refreshToken.isEmpty {
      self.refreshToken = Secret(refreshToken)
    }
    expiresAt = now + Self.lifetime(answer["expiresIn"]?.wholeNumber, of: idToken)
    generation += 1
  }

  /// Takes over the tokens of another session of the same user.
  func adopt(_ other: Session) {
    idToken = other.idToken
    refreshToken = other.refreshToken
    expiresAt = other.expiresAt
    generation += 1
  }

  /// An ID token that is good for a while, renewed if need be or if asked.
  ///
  /// Callers at the same time share one renewal. When the caller that started it is cancelled,
  /// the others start another rather than fail for it.
  func freshToken(
    forcingRefresh: Bool, over backend: Backend
  ) async throws(BackendError) -> Secret {
    while true {
      if !forcingRefresh, expiresAt - backend.clock.now > Self.slack { return idToken }
      guard isRefreshing else { return try await refresh(over: backend).get() }
      let result = await withCheckedContinuation { waiters.append($0) }
      if case .failure(.transport(let error)) = result, error.code == .cancelled { continue }
      return try result.get()
    }
  }

  private func refresh(over backend: Backend) async -> Result<Secret, BackendError> {
    isRefreshing = true
    let started = generation
    let result: Result<Secret, BackendError>
    do {
      let renewed = try await backend.client.refresh(token: refreshToken)
      if generation == started {
        idToken = renewed.idToken
        if let token = renewed.refreshToken, !token.reveal().isEmpty { refreshToken = token }
        expiresAt =
          backend.clock.now + Self.lifetime(renewed.expiresIn, of: renewed.idToken.reveal())
      }
      result = .success(idToken)
    } catch {
      result = generation == started ? .failure(error) : .success(idToken)
    }
    isRefreshing = false
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume(returning: result) }
    return result
  }

  /// The token's own times are the server's, so only their difference is used.
  private static func lifetime(_ stated: Int64?, of token: String) -> Int64 {
    if let stated { return min(max(stated, 0), longestLifetime) }
    guard let claims = try? IDTokenClaims(decoding: token), let end = claims.expiresAt,
      let start = claims.issuedAt
    else { return usualLifetime }
    let (seconds, isTooLarge) = end.subtractingReportingOverflow(start)
    return isTooLarge ? usualLifetime : min(max(seconds, 0), longestLifetime)
  }
}
