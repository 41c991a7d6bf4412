/// The settings of a load run: amount of load, duration, and thresholds.
struct LoadPlan: Sendable {
  /// The number of virtual users; in an open model, the maximum number of concurrent journeys.
  var users = 1
  /// How long new journeys begin, in milliseconds.
  var duration = 30_000.0
  /// Journeys that become due per second (open model).
  ///
  /// Nil for the closed model: each user begins the next journey when the last one has ended.
  var rate: Double?
  /// The limits that the run must meet.
  var thresholds: [Threshold] = []
  /// The name of the target in the report.
  var target = ""
  /// When the run began, in RFC 3339.
  var started = ""
  /// The version of luath in the report.
  var luath = ""

  /// Creates a plan of one user for 30 seconds.
  init() {}
}
