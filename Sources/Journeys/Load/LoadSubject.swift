/// A subject of latency counts: a journey, a step, or an endpoint.
struct LoadSubject: Sendable, Hashable {
  enum Kind: String, Sendable, CaseIterable {
    case journey, step, endpoint
  }

  /// The kind of subject.
  let kind: Kind
  /// The journey's full name, the step names joined by " > ", or the endpoint.
  let name: String
  /// The journey of a step; nil for other kinds.
  let journey: String?
  /// The path of the file of a journey or step; nil for an endpoint.
  let file: String?
  /// The line of the declaration of a journey, from 1.
  let line: Int?

  init(_ kind: Kind, _ name: String) {
    self.init(kind, name, journey: nil, file: nil, line: nil)
  }

  init(journey name: String, file: String, line: Int) {
    self.init(.journey, name, journey: nil, file: file, line: line)
  }

  init(step name: String, of journey: LoadSubject) {
    self.init(.step, name, journey: journey.name, file: journey.file, line: nil)
  }

  init(_ kind: Kind, _ name: String, journey: String?, file: String?, line: Int?) {
    self.kind = kind
    self.name = name
    self.journey = journey
    self.file = file
    self.line = line
  }
}
