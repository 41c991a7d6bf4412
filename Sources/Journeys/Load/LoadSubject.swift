/// A subject of latency counts: a journey, a step, or an endpoint.
struct LoadSubject: Sendable, Hashable {
  /// The kind of subject.
  enum Kind: String, Sendable, CaseIterable {
    case journey, step, endpoint
  }

  /// The kind of subject.
  let kind: Kind
  /// The journey's full name, the step names joined by " > ", or the endpoint.
  let name: String
  /// The journey of a step; nil for other kinds.
  let journey: String?

  /// Creates a subject.
  init(_ kind: Kind, _ name: String, journey: String? = nil) {
    self.kind = kind
    self.name = name
    self.journey = journey
  }
}
