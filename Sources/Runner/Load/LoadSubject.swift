/// What latencies under load are counted for: a journey, a step of one, or an endpoint.
public struct LoadSubject: Sendable, Hashable {
  /// What it is.
  public enum Kind: String, Sendable, CaseIterable {
    case journey, step, endpoint
  }

  /// What it is.
  public let kind: Kind
  /// The journey's full name, the step's names joined by " > ", or the endpoint.
  public let name: String
  /// The journey of a step.
  public let journey: String?

  /// Names what is counted.
  public init(_ kind: Kind, _ name: String, journey: String? = nil) {
    self.kind = kind
    self.name = name
    self.journey = journey
  }
}
