/// Which exchanges and page actions of a run become events.
public enum TraceMode: String, Sendable, CaseIterable {
  /// All when a report wants them, else the last ones before a failure.
  case automatic
  /// All of every attempt.
  case all
  /// All of attempts that failed.
  case onFailure = "on-failure"
  /// None.
  case off
}
