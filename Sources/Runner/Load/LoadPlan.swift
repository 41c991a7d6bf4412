/// How much load there is to be, for how long, and what it must keep.
public struct LoadPlan: Sendable {
  /// How many virtual users there are: in an open model, how many journeys at most at once.
  public var users = 1
  /// How long journeys begin, in milliseconds.
  public var duration = 30_000.0
  /// Journeys that become due in a second, of an open model; nil when each user begins the next
  /// journey as soon as the last has ended.
  public var rate: Double?
  /// The limits to keep.
  public var thresholds: [Threshold] = []
  /// What the report calls the target.
  public var target = ""
  /// When the run began, as RFC 3339 writes it.
  public var started = ""
  /// The version of luath that the report names.
  public var luath = ""

  /// One user for half a minute.
  public init() {}
}
