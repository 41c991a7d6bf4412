public import System

/// The settings of a run.
public struct RunSettings: Sendable {
  /// The time limit of one attempt; its cleanup has the same limit again.
  public var timeout: Duration = .seconds(60)
  /// How often a failed journey is retried.
  public var retries = 0
  /// The number of parallel workers.
  public var jobs = 1
  /// The seed of all random values.
  public var seed: Int64 = 0
  /// The accounts of a real project that journeys may use: `email`, `password` or `missing`, `providers`.
  public var accounts: [JSON] = []
  /// Which exchanges become events.
  public var trace = TraceMode.automatic
  /// After this many failed journeys no further one begins.
  public var maximumFailures: Int?
  /// Whether a flaky journey makes the run fail.
  public var failsOnFlaky = false
  /// Whether to do everything except run the journeys.
  public var isDry = false

  /// Creates the default settings.
  public init() {}
}
