import System

/// The next piece of cleanup at a journey's end: a hook, `finally`, or a deferred function.
struct JourneyEnding {
  let label: String
  /// The time limit that the engine sets for it.
  let limit: Duration

  init?(_ json: JSON) {
    guard let label = json["label"]?.string, let limit = json["limit"]?.number else { return nil }
    self.label = label
    self.limit = .microseconds(Int64(min(limit, 1e6) * 1e6))
  }
}
