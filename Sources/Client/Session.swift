import HTTP
import IdentityToolkit
import System

/// The tokens of one signed-in user, renewed before they expire.
final class Session {
  /// A token that expires in fewer seconds is renewed before use.
  static let slack: Int64 = 300

  /// In seconds, when neither the response nor the token has a lifetime.
  private static let usualLifetime: Int64 = 3600

  /// A year, in seconds; no backend uses more, and very large times would overflow.
  private static let longestLifetime: Int64 = 31_536_000

  private(set) var tokens: SessionTokens

  /// Incremented when tokens are adopted, so that the result of a concurrent renewal is discarded.
  private var generation = 0

  /// Whether an operation has returned tokens that the store lacks.
  ///
  /// They take precedence over tokens that another process stored, because a change of password revokes the earlier
  /// ones.
  private var isAheadOfStore = false

  private struct Renewal {
    let token: Secret
    let wasForced: Bool
  }

  private let renewal = SharedWork<Renewal, AuthError>()
  /// Whether the current renewal ended because its task was cancelled.
  private var isAbandoned = false

  /// Reads the tokens from a sign-in response.
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

  /// Continues with saved tokens.
  init(_ tokens: SessionTokens) { self.tokens = tokens }

  var idToken: Secret { tokens.idToken }

  var refreshToken: Secret { tokens.refreshToken }

  /// Adopts the tokens in a response, if it has any.
  func adopt(_ answer: JSONObject, now: Int64) {
    guard let idToken = answer["idToken"]?.string, !idToken.isEmpty else { return }
    var refreshToken = tokens.refreshToken
    if let token = answer["refreshToken"]?.string, !token.isEmpty { refreshToken = Secret(token) }
    replace(
      SessionTokens(
        idToken: Secret(idToken), refreshToken: refreshToken,
        expiresAt: now + Self.lifetime(answer["expiresIn"]?.wholeNumber, of: idToken)))
  }

  /// Adopts the tokens of another session of the same user.
  func adopt(_ other: Session) { replace(other.tokens) }

  private func replace(_ tokens: SessionTokens) {
    self.tokens = tokens
    generation += 1
    isAheadOfStore = true
  }

  /// Saves the session to the user's store, after an operation that returned tokens.
  func keep(of user: User) async throws(AuthError) {
    guard let store = user.store, isAheadOfStore else { return }
    try await store.exclusively(for: user) { _ in }
    wasStored()
  }

  /// Records that the store has these tokens.
  func wasStored() { isAheadOfStore = false }

  // MARK: Renewing

  /// An ID token that is valid for a while, renewed if needed or requested.
  ///
  /// Concurrent callers share one renewal. When the caller that started it is cancelled, the others start another
  /// instead of failing. A caller that forces a renewal does not accept an unforced one: that may return a token from
  /// the store, or may have been sent long before.
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

  private func isFresh(_ backend: AuthContext) -> Bool {
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
      // Tokens that were adopted meanwhile are newer, so this failure does not matter.
      guard generation != started else { throw error }
    }
    return idToken
  }

  /// Exchanges the refresh token; repeats once if the new ID token is about to expire as well.
  private func renew(over backend: AuthContext) async throws(AuthError) {
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

  /// The times in the token are from the server's clock, so only their difference is used.
  private static func lifetime(_ stated: Int64?, of token: String) -> Int64 {
    if let stated { return min(max(stated, 0), longestLifetime) }
    guard let claims = try? IDTokenClaims(decoding: token), let end = claims.expiresAt,
      let start = claims.issuedAt
    else { return usualLifetime }
    let (seconds, isTooLarge) = end.subtractingReportingOverflow(start)
    return isTooLarge ? usualLifetime : min(max(seconds, 0), longestLifetime)
  }
}

/// The tokens of one signed-in user.
public struct SessionTokens: Sendable {
  let idToken: Secret

  /// The refresh token, with which anyone can get ID tokens of this user.
  let refreshToken: Secret

  /// When the ID token expires, in seconds since 1970.
  ///
  /// It is computed from the local clock and the lifetime, so a wrong clock does not matter.
  let expiresAt: Int64
}

/// Storage for a user's session beyond this process, which other processes may use too.
public protocol SessionStore: AnyObject {
  /// Runs `change` under an exclusive lock, then stores the user's current session.
  ///
  /// `change` receives the stored tokens if another process has replaced them since the last access. Nothing is
  /// stored when it throws, or when the store has another session by now.
  func exclusively(
    for user: User, _ change: (_ newer: SessionTokens?) async throws(AuthError) -> Void
  ) async throws(AuthError)
}
