/// Which exchanges and page actions of a run become events.
enum TraceMode: String, Sendable, CaseIterable {
  /// All if a report wants them, otherwise the last ones before a failure.
  case automatic
  /// All of every attempt.
  case all
  /// All of failed attempts.
  case onFailure = "on-failure"
  case off
}
