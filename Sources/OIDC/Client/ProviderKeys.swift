public import HTTP

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
