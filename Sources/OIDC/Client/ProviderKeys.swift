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
  private var keys: KeySet?
  /// When the latest fetches were, in seconds since 1970.
  private var fetches: [Int64] = []

  /// Keys to be fetched from an address; `now` gives seconds since 1970.
  public init(_ url: WebURL, over transport: any Transport, now: @escaping () -> Int64) {
    self.url = url
    self.transport = transport
    self.now = now
  }

  /// Returns when one of the provider's keys signed the token.
  ///
  /// A token that no known key fits makes the keys be fetched once more, as its signer may have
  /// begun to use another; strangers' tokens must not make us ask the provider all the time, so
  /// that this happens a few times in a minute only.
  public func verify(_ jwt: JWT) async throws(OIDCError) {
    if let keys {
      do throws(JOSEError) {
        return try jwt.verify(keys, algorithms: Self.algorithms)
      } catch {
        guard isAnswered(by: error, jwt), mayFetch() else { throw OIDCError(error) }
      }
    }
    let fresh = try await KeySet.fetch(from: url, over: transport)
    fetches.append(now())
    keys = fresh
    do throws(JOSEError) {
      try jwt.verify(fresh, algorithms: Self.algorithms)
    } catch {
      throw OIDCError(error)
    }
  }

  /// Whether other keys could help: the named one is not there, or the token names none.
  private func isAnswered(by error: JOSEError, _ jwt: JWT) -> Bool {
    switch error.code {
    case .unknownKey: true
    case .badSignature, .ambiguousKey: jwt.keyID == nil
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
