/// The rate limit and pause shared by all processes that work on one journal.
struct PostgresSharedRate: Sendable, Equatable {
  /// Whether the processes are paused.
  let isPaused: Bool
  /// The limit for all processes together, in calls per second; nil for no limit.
  let rate: Double?
}
