public import HTTP

/// The signing keys of one provider, fetched when first needed and again when it changes them.
public final class ProviderKeys {
  /// How many times in a minute the keys are fetched because a token does not fit them.
  public static let fetchesPerMinute = 5

  // All are asymmetric. What the provider lists is not asked: some list `none` there.
  private static let algorithms = Set(Algorithm.allCases)

  private let url: WebURL
  private let transport: any Transport
  private let now: () -> Int64
  /// What the latest fetch gave.
  private var keys: KeySet?
  /// When the latest fetches were, in seconds since 1970.
  private var fetches: [Int64] = []
  /// Who waits for the fetch that is under way; nil when none is.
  private var waiters: [UnsafeContinuation<Void, Never>]?
  private var latest: Result<KeySet, OIDCError>?

  /// Keys to be fetched from an address; `now` gives seconds since 1970.
  public init(_ url: WebURL, over transport: any Transport, now: @escaping () -> Int64) {
    self.url = url
    self.transport = transport
    self.now = now
  }

  /// Returns when one of the provider's keys signed the token.
  ///
  /// The keys are fetched once more for a token that none of them signed: the provider may use
  /// another key now, also under the name of the last. Forged tokens must not cause a flood of
  /// requests, so this happens a few times in a minute only, and those who verify at the same time
  /// share one fetch.
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

  /// Fetches the keys, or waits for the fetch that is under way.
  private func fetch() async throws(OIDCError) -> KeySet {
    while waiters != nil {
      await wait()
      // Whoever fetched may have been cancelled, which says nothing about the keys.
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

  /// Whether other keys could help.
  private static func isAnswered(by error: JOSEError) -> Bool {
    switch error.code {
    case .unknownKey, .badSignature, .ambiguousKey: true
    default: false
    }
  }

  private func mayFetch() -> Bool {
    let time = now()
    // A clock that was set back must not keep fetches in the future.
    fetches.removeAll { !(time - 60...time).contains($0) }
    return fetches.count < Self.fetchesPerMinute
  }
}

extension OIDCError {
  /// A token whose signature proves nothing.
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
