/// How long a task may run; tasks inherit the lifetime of the task that spawns them.
enum TaskLifetime: String {
  /// Until the journey's function has returned.
  case journey
  /// Until the hooks and fixtures of the journey have ended.
  case hooks
  case file
  /// Until the file has ended; for a value that other files use too.
  case run

  var isWide: Bool { self == .file || self == .run }
}
