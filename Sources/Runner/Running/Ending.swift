import Encoding

/// What comes next of a journey's end: a hook, `finally`, or something that was deferred.
struct Ending {
  let label: String
  /// What the engine lets it take.
  let limit: Duration

  init?(_ json: JSON) {
    guard let label = json["label"]?.string, let limit = json["limit"]?.number else { return nil }
    self.label = label
    self.limit = .microseconds(Int64(min(limit, 1e6) * 1e6))
  }
}
