public import HTTP

/// Decides whether a call that failed is sent again, and when: exponential back-off with full jitter.
///
/// Knows nothing of time and chance: both are told, so that each decision can be tested alone. One
/// value serves one call.
public struct RetryPolicy: Sendable {
  /// How a try ended that another one may get past.
  public enum Failure: Sendable, Equatable {
    /// The connection broke, or the answer did not come in time.
    case lost
    /// The backend is busy or away, and may have said for how long.
    case busy(retryAfter: Duration?)

    /// Reads a failed exchange; nil when another try would end the same way.
    ///
    /// A refused connection, an unknown name and a certificate stay as they are for a while: telling at
    /// once helps more than waiting.
    public init?(_ error: HTTPError) {
      switch error.code {
      case .broken, .timedOut: self = .lost
      default: return nil
      }
    }

    /// Reads an answer; nil when it is an answer to the call, be it a refusal.
    public init?(_ response: HTTPResponse) {
      guard ErrorCode(ofBusyStatus: response.status) != nil else { return nil }
      self = .busy(retryAfter: response.headers.retryAfter())
    }
  }

  /// What to do about a failure.
  public enum Action: Sendable, Equatable {
    /// Wait so long, then send the same request again.
    case wait(Duration)
    /// Report the failure.
    case giveUp
  }

  /// How often a request is sent at most, the first time included.
  public static let maximumTries = 4

  /// No try begins later than this after the first one.
  public static let patience = Duration.seconds(30)

  /// The longest wait before the second try; it doubles with each further one.
  public static let firstWait = Duration.milliseconds(500)

  private let isRepeatable: Bool
  private var tries = 1

  /// Starts with the first try; only a call that may be carried out twice is ever sent again.
  public init(isRepeatable: Bool) { self.isRepeatable = isRepeatable }

  /// Decides about a try that failed.
  ///
  /// - Parameters:
  ///   - failure: How it ended.
  ///   - elapsed: The time since the first try began.
  ///   - chance: A number from 0 to below 1, another one each time.
  public mutating func next(
    after failure: Failure, elapsed: Duration, chance: Double
  ) -> Action {
    guard isRepeatable, tries < Self.maximumTries else { return .giveUp }
    // Full jitter: callers that failed together do not come back together.
    var wait = Self.firstWait * (1 << (tries - 1)) * chance
    if case .busy(let asked?) = failure { wait += asked }
    guard elapsed + wait <= Self.patience else { return .giveUp }
    tries += 1
    return .wait(wait)
  }
}
