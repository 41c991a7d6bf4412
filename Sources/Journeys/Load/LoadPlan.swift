/// The settings of a load run: amount of load, duration, and thresholds.
public struct LoadPlan: Sendable {
  /// The number of virtual users; in an open model, the maximum number of concurrent journeys.
  public var users = 1
  /// How long new journeys begin, in milliseconds.
  public var duration = 30_000.0
  /// Journeys that become due per second (open model).
  ///
  /// Nil for the closed model: each user begins the next journey when the last one has ended.
  public var rate: Double?
  /// The limits that the run must meet.
  public var thresholds: [Threshold] = []
  /// The name of the target in the report.
  public var target = ""
  /// When the run began, in RFC 3339.
  public var started = ""
  /// The version of luath in the report.
  public var luath = ""

  /// Creates a plan of one user for 30 seconds.
  public init() {}
}
