import System

/// Why a line is not a valid event.
struct EventProblem: Error, Equatable {
  let message: String
}

/// Reads an event's JSON object.
typealias EventFields = ObjectReader<EventProblem>

extension EventFields {
  func choice<T: RawRepresentable<String>>(_ name: String) throws(EventProblem) -> T {
    let word = try string(name)
    guard let value = T(rawValue: word) else {
      throw EventProblem(message: "'\(name)' is '\(word)', which is none of its values")
    }
    return value
  }

  /// Readers of a list's objects; none when the member is missing or null.
  func readers(_ name: String) throws(EventProblem) -> [EventFields] {
    try listIfAny(name, of: .object) { try? EventFields($0) } ?? []
  }

  func strings(_ name: String) throws(EventProblem) -> [String] {
    try listIfAny(name, of: .string, \.string) ?? []
  }
}

extension EventProblem: ObjectReaderError {
  init(_ mistake: ObjectMistake, of name: String?, at path: [String]) {
    let problem =
      switch mistake {
      case .missing: "is missing"
      case .empty: "is empty"
      case .wrongType(.bool, _): "is not true or false"
      case .wrongType(.string, _): "is not a text"
      case .wrongType(.object, _): "is not an object"
      case .wrongType(let kind, _): "is not \(kind.rawValue)"
      case .wrongItem(.string, _, _): "holds something that is no text"
      case .wrongItem(.object, _, _): "is no object"
      case .wrongItem(.array, _, _): "holds something that is no pair of texts"
      case .wrongItem: "has something that is not a whole number"
      case .unknownName: "is unknown"
      }
    message = "'\(name ?? "")' \(problem)"
  }

  static func object(_ json: JSON) -> JSONObject? { json.object }
  static func list(_ json: JSON) -> [JSON]? { json.array }
}

/// Collects the members of an event's JSON object; nil values are left out.
struct EventMembers {
  private(set) var object = JSONObject()

  mutating func set(_ name: String, _ value: String?) {
    if let value { object[name] = .string(value) }
  }

  mutating func set(_ name: String, _ value: Int?) {
    if let value { object[name] = .integer(Int64(value)) }
  }

  mutating func set(_ name: String, _ value: Bool) { object[name] = .bool(value) }

  mutating func set(_ name: String, _ value: JSON?) {
    if let value { object[name] = value }
  }

  mutating func set(_ name: String, _ values: [String]) {
    object[name] = .array(values.map { .string($0) })
  }

  /// Sets a number of milliseconds, rounded to the microsecond.
  mutating func set(milliseconds name: String, _ value: Double?) {
    if let value { object[name] = .number((value * 1000).rounded() / 1000) }
  }

  mutating func set(_ name: String, _ failures: [Failure]) {
    object[name] = .array(failures.map(\.json))
  }
}
