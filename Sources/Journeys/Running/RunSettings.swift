import System

/// The settings of a run.
struct RunSettings: Sendable {
  /// The time limit of one attempt; its cleanup has the same limit again.
  var timeout: Duration = .seconds(60)
  /// How often a failed journey is retried.
  var retries = 0
  /// The number of parallel workers.
  var jobs = 1
  /// The seed of all random values.
  var seed: Int64 = 0
  /// The accounts of a real project that journeys may use: `email`, `password` or `missing`, `providers`.
  var accounts: [JSON] = []
  /// Which exchanges become events.
  var trace = TraceMode.automatic
  /// After this many failed journeys no further one begins.
  var maximumFailures: Int?
  /// Whether a flaky journey makes the run fail.
  var failsOnFlaky = false
  /// Whether to do everything except run the journeys.
  var isDry = false

  /// Creates the default settings.
  init() {}
}
