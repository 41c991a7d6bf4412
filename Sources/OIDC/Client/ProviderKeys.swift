public import HTTP
public import System

/// The signing keys of a provider, fetched when needed and again when they change.
public final class ProviderKeys {
  /// The maximum number of fetches per minute because of tokens that no key fits.
  static let fetchesPerMinute = 5

  // All are asymmetric. The provider's own list is ignored, because some providers list `none`.
  private static let algorithms = Set(Algorithm.allCases)

  private let url: WebURL
  private let transport: any Transport
  private let now: () -> Int64
  /// The keys of the latest successful fetch.
  private var keys: KeySet?
  /// The times of the latest fetches, in seconds since 1970.
  private var fetches: [Int64] = []
  /// The callers that wait for the current fetch; nil when there is none.
  private var waiters: [UnsafeContinuation<Void, Never>]?
  private var latest: Result<KeySet, OIDCError>?

  /// Creates a key store for a URL; `now` returns seconds since 1970.
  public init(_ url: WebURL, over transport: any Transport, now: @escaping () -> Int64) {
    self.url = url
    self.transport = transport
    self.now = now
  }

  /// Throws unless one of the provider's keys signed the token.
  ///
  /// If no key fits, the keys are fetched again, because the provider may have a new key, even
  /// under the same id. To prevent that forged tokens cause a flood of requests, this is limited
  /// per minute, and concurrent calls share one fetch.
  public func verify(_ jwt: JWT) async throws(OIDCError) {
    if let keys {
      do throws(JOSEError) {
        return try jwt.verify(keys, algorithms: Self.algorithms)
      } catch {
        guard Self.isAnswered(by: error), waiters != nil || mayFetch() else {
          throw OIDCError(error)
        }
      }
    }
    let fresh = try await fetch()
    do throws(JOSEError) {
      try jwt.verify(fresh, algorithms: Self.algorithms)
    } catch {
      guard error.code == .badSignature else { throw OIDCError(error) }
      throw OIDCError(
        .badSignature, "none of the provider's keys signed the token, as fetched just now",
        hint:
          "have the provider publish the keys it signs with at \(url.withoutQuery); if it does, "
          + "the token was changed on its way")
    }
  }

  /// Fetches the keys, or waits for the current fetch.
  private func fetch() async throws(OIDCError) -> KeySet {
    while waiters != nil {
      await wait()
      // The other caller may have been canceled; then fetch again.
      if let latest, !Self.isCancelled(latest) { return try latest.get() }
    }
    waiters = []
    fetches.append(now())
    let result: Result<KeySet, OIDCError>
    do throws(OIDCError) {
      result = .success(try await KeySet.fetch(from: url, over: transport))
    } catch {
      result = .failure(error)
    }
    latest = result
    if case .success(let fresh) = result { keys = fresh }
    let waiting = waiters ?? []
    waiters = nil
    for waiter in waiting { waiter.resume() }
    return try result.get()
  }

  private func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withUnsafeContinuation { continuation in
      _ = isolation
      waiters?.append(continuation)
    }
  }

  private static func isCancelled(_ result: Result<KeySet, OIDCError>) -> Bool {
    if case .failure(let error) = result { return error.code == .cancelled }
    return false
  }

  /// Whether new keys could help.
  private static func isAnswered(by error: JOSEError) -> Bool {
    switch error.code {
    case .unknownKey, .badSignature, .ambiguousKey: true
    default: false
    }
  }

  private func mayFetch() -> Bool {
    let time = now()
    // After the clock was set back, entries in the future must not block fetches.
    fetches.removeAll { !(time - 60...time).contains($0) }
    return fetches.count < Self.fetchesPerMinute
  }
}

extension OIDCError {
  /// Converts an error of a signature check.
  init(_ error: JOSEError) {
    let code: Code =
      switch error.code {
      case .unknownKey: .unknownKey
      case .unsupportedAlgorithm: .unsupportedAlgorithm
      default: .badSignature
      }
    self.init(code, error.message, hint: error.hint)
  }
}

extension OIDCClient {
  /// Verifies an ID token by all rules of OpenID Connect Core 3.1.3.7 and returns its claims.
  ///
  /// The signature is checked in every flow, even where the specification accepts TLS instead. With
  /// `maxAge`, the user's sign-in must be at most that many seconds ago. An access token issued
  /// with the ID token is compared with its hash in there.
  public func verify(
    _ idToken: Secret, nonce: IDTokenRules.NonceRule, maxAge: Int64? = nil,
    accessToken: Secret? = nil
  ) async throws(OIDCError) -> JSONObject {
    try await verify(
      idToken, nonce: nonce, maxAge: maxAge, hashes: TokenHashes(accessToken: accessToken))
  }

  func verify(
    _ idToken: Secret, nonce: IDTokenRules.NonceRule, maxAge: Int64?, hashes: TokenHashes
  ) async throws(OIDCError) -> JSONObject {
    let jwt: JWT
    do throws(JOSEError) {
      jwt = try JWT(decoding: idToken.reveal())
    } catch {
      throw OIDCError(error)
    }
    try await keys.verify(jwt)
    try IDTokenRules(
      issuer: try metadata.issuer(for: jwt.claims), audience: credentials.id, nonce: nonce,
      now: now(), leeway: settings.leeway
    ).check(jwt)
    try hashes.check(jwt)
    if let maxAge { try check(maxAge, jwt.claims) }
    return jwt.claims
  }

  // Rule 13. Some providers send the time with a fraction.
  private func check(_ maxAge: Int64, _ claims: JSONObject) throws(OIDCError) {
    guard let time = claims["auth_time"]?.number else {
      throw OIDCError(
        .staleSignIn, "the ID token has no time of the sign-in",
        hint: "have the provider put auth_time into ID tokens, or leave maxAge out")
    }
    guard time + Double(maxAge) + Double(settings.leeway) >= Double(now()) else {
      throw OIDCError(
        .staleSignIn, "the user signed in at the provider longer ago than allowed",
        hint: "begin again with prompt=login")
    }
  }
}

/// Checks the hashes in an ID token (OpenID Connect Core sections 3.1.3.6 and 3.3.2.11).
public struct TokenHashes: Sendable {
  /// The access token issued with it, for `at_hash`.
  public var accessToken: Secret?
  /// The code issued with it, for `c_hash`.
  var code: Secret?
  /// Whether `c_hash` is required, as for a code that came through the browser.
  var mustHaveCode: Bool

  /// Creates a check; nil for what was not issued with the ID token.
  public init(accessToken: Secret? = nil, code: Secret? = nil, mustHaveCode: Bool = false) {
    self.accessToken = accessToken
    self.code = code
    self.mustHaveCode = mustHaveCode
  }

  /// Throws unless present hashes match and a required one is present.
  public func check(_ jwt: JWT) throws(OIDCError) {
    try check("at_hash", accessToken, jwt, required: false)
    try check("c_hash", code, jwt, required: mustHaveCode)
  }

  private func check(
    _ name: String, _ value: Secret?, _ jwt: JWT, required: Bool
  ) throws(OIDCError) {
    guard let value else { return }
    guard let claim = jwt.claims[name] else {
      if required { throw Self.failure("the ID token has no \(name) for its code") }
      return
    }
    // The left half of the hash, with the hash function of the signature's algorithm.
    let function = jwt.algorithmName.flatMap(Algorithm.init)?.digestName ?? "SHA256"
    let hash = Digest.hash(Array(value.reveal().utf8), function)
    guard let text = claim.string,
      constantTimeEqual(text, Base64URL.encode(Array(hash.prefix(hash.count / 2))))
    else {
      throw Self.failure("the ID token's \(name) does not match the rest of the response")
    }
  }

  private static func failure(_ message: String) -> OIDCError {
    OIDCError(
      .wrongHash, message,
      hint: "start the sign-in again; a code or token may be from another sign-in")
  }
}
