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

  private(set) var tokens: SessionTokens

  /// Grows when tokens are adopted, so that a renewal that was under way meanwhile is dropped.
  private var generation = 0

  /// Whether an operation brought tokens that the store does not have yet; they count for more than
  /// what another process stored, as a change of password ends the tokens there were.
  private var isAheadOfStore = false

  /// What a renewal brought.
  private struct Renewal {
    let token: Secret
    let wasForced: Bool
  }

  private let renewal = SharedWork<Renewal, AuthError>()
  /// Whether the renewal under way ended because its task was cancelled.
  private var isAbandoned = false

  /// Takes the tokens of a sign-in's answer.
  init(_ answer: JSONObject, now: Int64) throws(AuthError) {
    guard let idToken = answer["idToken"]?.string, !idToken.isEmpty,
      let refreshToken = answer["refreshToken"]?.string, !refreshToken.isEmpty
    else {
      throw AuthError(
        .invalidUserToken, "the backend accepted the sign-in but sent no tokens",
        hint: "check that the target is an Identity Toolkit backend")
    }
    tokens = SessionTokens(
      idToken: Secret(idToken), refreshToken: Secret(refreshToken),
      expiresAt: now + Self.lifetime(answer["expiresIn"]?.wholeNumber, of: idToken))
  }

  /// Goes on with tokens that were kept.
  init(_ tokens: SessionTokens) { self.tokens = tokens }

  var idToken: Secret { tokens.idToken }

  var refreshToken: Secret { tokens.refreshToken }

  /// Takes over the tokens an answer brings, if it brings any.
  func adopt(_ answer: JSONObject, now: Int64) {
    guard let idToken = answer["idToken"]?.string, !idToken.isEmpty else { return }
    var refreshToken = tokens.refreshToken
    if let token = answer["refreshToken"]?.string, !token.isEmpty { refreshToken = Secret(token) }
    replace(
      SessionTokens(
        idToken: Secret(idToken), refreshToken: refreshToken,
        expiresAt: now + Self.lifetime(answer["expiresIn"]?.wholeNumber, of: idToken)))
  }

  /// Takes over the tokens of another session of the same user.
  func adopt(_ other: Session) { replace(other.tokens) }

  private func replace(_ tokens: SessionTokens) {
    self.tokens = tokens
    generation += 1
    isAheadOfStore = true
  }

  /// Stores the session where it is kept, after an operation that brought tokens.
  func keep(of user: User) async throws(AuthError) {
    guard let store = user.store, isAheadOfStore else { return }
    try await store.exclusively(for: user) { _ in }
    wasStored()
  }

  /// Notes that the store has these tokens.
  func wasStored() { isAheadOfStore = false }

  // MARK: Renewing

  /// An ID token that is good for a while, renewed if need be or if asked.
  ///
  /// Callers at the same time share one renewal. When the caller that started it is cancelled,
  /// the others start another rather than fail for it. A caller that forces a renewal does not accept one that
  /// was not forced: that may keep a token of the store, or have been sent long before.
  func freshToken(forcingRefresh: Bool, of user: User) async throws(AuthError) -> Secret {
    while true {
      if !forcingRefresh, isFresh(user.backend) { return idToken }
      let renewed = try await renewal.share(
        { () async throws(AuthError) in
          Renewal(
            token: try await refresh(forcing: forcingRefresh, of: user), wasForced: forcingRefresh)
        },
        isGivenUp: { _ in isAbandoned || Task.isCancelled })
      if let renewed, renewed.wasForced || !forcingRefresh { return renewed.token }
    }
  }

  private func isFresh(_ backend: Backend) -> Bool {
    tokens.expiresAt - backend.clock.now > Self.slack
  }

  private func refresh(forcing: Bool, of user: User) async throws(AuthError) -> Secret {
    isAbandoned = false
    let started = generation
    defer { if generation == started { user.auth?.tokensChanged(of: user) } }
    do throws(AuthError) {
      if let store = user.store {
        try await store.exclusively(for: user) { (newer) throws(AuthError) in
          if let newer, !isAheadOfStore { tokens = newer }
          if forcing || !isFresh(user.backend) { try await renew(over: user.backend) }
        }
      } else {
        try await renew(over: user.backend)
      }
    } catch {
      // Tokens that were adopted meanwhile are newer than whatever this renewal met.
      guard generation != started else { throw error }
    }
    return idToken
  }

  /// Exchanges the refresh token; once more if the new ID token is about to end as well.
  private func renew(over backend: Backend) async throws(AuthError) {
    let started = generation
    for _ in 0..<2 {
      let renewed: RefreshedSession
      do {
        renewed = try await backend.client.refresh(token: refreshToken)
      } catch {
        if case .transport(let cause) = error { isAbandoned = cause.code == .cancelled }
        throw AuthError(error)
      }
      guard generation == started else { return }
      var refreshToken = tokens.refreshToken
      if let token = renewed.refreshToken, !token.reveal().isEmpty { refreshToken = token }
      let lifetime = Self.lifetime(renewed.expiresIn, of: renewed.idToken.reveal())
      tokens = SessionTokens(
        idToken: renewed.idToken, refreshToken: refreshToken,
        expiresAt: backend.clock.now + lifetime)
      if isFresh(backend) { return }
    }
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
