public import HTTP

/// Why a call of the backend failed.
public enum BackendError: Error, Sendable {
  case refused(Refusal)

  /// The request could not be sent, or the response was lost.
  case transport(HTTPError)

  /// The response is not from this API; `retryAfter` is its Retry-After.
  case unexpected(status: Int, message: String, retryAfter: Duration? = nil)

  /// The error code for scripts.
  ///
  /// A response that is not from this API is an internal error, unless its status means that the
  /// backend, or a proxy in front of it, is busy or unavailable.
  public var code: ErrorCode {
    switch self {
    case .refused(let refusal): refusal.code
    case .transport(let error): error.code == .changeNotAllowed ? .changeNotAllowed : .networkError
    case .unexpected(let status, _, _): ErrorCode(ofBusyStatus: status) ?? .internalError
    }
  }

  /// The hint, in one sentence.
  public var hint: String {
    switch self {
    case .refused(let refusal): refusal.hint(refusal.code.hint)
    case .transport(let error): error.hint
    case .unexpected(let status, _, _):
      switch ErrorCode(ofBusyStatus: status) {
      case nil:
        "check that the target is an Identity Toolkit backend and that nothing stands between"
      case .tooManyRequests?: "wait before you send this again, and send fewer requests"
      default: "the backend is overloaded or being restarted: try again in a while"
      }
    }
  }
}

extension ErrorCode {
  /// The code of a status that means only that the backend is busy or unavailable.
  init?(ofBusyStatus status: Int) {
    switch status {
    case 429: self = .tooManyRequests
    case 502, 503, 504: self = .networkError
    default: return nil
    }
  }
}

/// Decides whether and when to retry a failed call: exponential backoff with full jitter.
///
/// Time and random numbers are parameters, so that each decision can be tested. One value serves one call.
public struct RetryPolicy: Sendable {
  /// A failure that a retry may overcome.
  public enum Failure: Sendable, Equatable {
    /// The connection broke, or the response did not arrive in time.
    case lost
    /// The backend is busy or unavailable, possibly with a Retry-After.
    case busy(retryAfter: Duration?)

    /// Classifies an error; nil when a retry would fail the same way.
    ///
    /// A refused connection, an unknown host and a bad certificate do not change soon: reporting
    /// them at once is more useful than waiting.
    public init?(_ error: HTTPError) {
      switch error.code {
      case .broken, .timedOut: self = .lost
      default: return nil
      }
    }

    /// Classifies a response; nil when it is a result of the call, which includes refusals.
    public init?(_ response: HTTPResponse) {
      guard ErrorCode(ofBusyStatus: response.status) != nil else { return nil }
      self = .busy(retryAfter: response.headers.retryAfter())
    }
  }

  /// What to do after a failure.
  public enum Action: Sendable, Equatable {
    /// Wait, then send the same request again.
    case wait(Duration)
    case giveUp
  }

  /// The maximum number of attempts, including the first.
  static let maximumTries = 4

  /// No attempt begins later than this after the first one.
  static let patience = Duration.seconds(30)

  /// The maximum wait before the second attempt; it doubles with each further one.
  static let firstWait = Duration.milliseconds(500)

  private let isRepeatable: Bool
  private var tries = 1

  /// Creates a policy; only repeatable calls are retried.
  public init(isRepeatable: Bool) { self.isRepeatable = isRepeatable }

  /// Decides what to do after a failed attempt.
  ///
  /// - Parameters:
  ///   - failure: How the attempt failed.
  ///   - elapsed: The time since the first attempt began.
  ///   - chance: A new random number from 0 to below 1.
  public mutating func next(
    after failure: Failure, elapsed: Duration, chance: Double
  ) -> Action {
    guard isRepeatable, tries < Self.maximumTries else { return .giveUp }
    // Full jitter, so that callers that failed together do not retry together.
    var wait = Self.firstWait * (1 << (tries - 1)) * chance
    if case .busy(let asked?) = failure { wait += asked }
    guard elapsed + wait <= Self.patience else { return .giveUp }
    tries += 1
    return .wait(wait)
  }
}
