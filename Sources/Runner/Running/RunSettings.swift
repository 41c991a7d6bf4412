public import Encoding

/// How journeys are to be run.
public struct RunSettings: Sendable {
  /// How long one attempt may take, and its cleaning up once more.
  public var timeout: Duration = .seconds(60)
  /// How often a failed journey is tried again.
  public var retries = 0
  /// How many run side by side.
  public var jobs = 1
  /// Decides everything random.
  public var seed: Int64 = 0
  /// The accounts of a real project that journeys may use: `email`, `password` or `missing`, `providers`.
  public var accounts: [JSON] = []
  /// Which exchanges become events.
  public var trace = TraceMode.automatic
  /// After so many failed journeys no other begins.
  public var maximumFailures: Int?
  /// Whether a journey that passed only when tried again makes the run fail.
  public var failsOnFlaky = false
  /// Whether everything is done but the journeys themselves.
  public var isDry = false

  /// The settings of a run that says nothing.
  public init() {}
}
