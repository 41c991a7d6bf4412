import System

/// Why a line is not a valid event.
struct EventProblem: Error, Equatable {
  let message: String
}

/// Reads the members of an event's JSON object, by name and type.
struct EventFields {
  private let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  init(_ json: JSON, _ name: String) throws(EventProblem) {
    guard let object = json.object else { throw EventProblem(message: "'\(name)' is no object") }
    self.object = object
  }

  // MARK: Required members

  func string(_ name: String) throws(EventProblem) -> String {
    try needed(name, optionalString(name))
  }

  func number(_ name: String) throws(EventProblem) -> Double {
    try needed(name, optionalNumber(name))
  }

  func integer(_ name: String) throws(EventProblem) -> Int {
    try needed(name, optionalInteger(name))
  }

  func bool(_ name: String) throws(EventProblem) -> Bool {
    try needed(name, optionalBool(name))
  }

  func choice<T: RawRepresentable<String>>(_ name: String) throws(EventProblem) -> T {
    let word = try string(name)
    guard let value = T(rawValue: word) else {
      throw EventProblem(message: "'\(name)' is '\(word)', which is none of its words")
    }
    return value
  }

  func fields(_ name: String) throws(EventProblem) -> EventFields {
    try needed(name, optionalFields(name))
  }

  // MARK: Optional members

  func optionalBool(_ name: String) throws(EventProblem) -> Bool? {
    try optional(name, "true or false", \.bool)
  }

  func optionalString(_ name: String) throws(EventProblem) -> String? {
    try optional(name, "a text", \.string)
  }

  func optionalNumber(_ name: String) throws(EventProblem) -> Double? {
    try optional(name, "a number", \.number)
  }

  func optionalInteger(_ name: String) throws(EventProblem) -> Int? {
    try optional(name, "a whole number") { $0.integer.flatMap { Int(exactly: $0) } }
  }

  func optionalFields(_ name: String) throws(EventProblem) -> EventFields? {
    try optional(name, "an object", \.object).map { EventFields($0) }
  }

  func json(_ name: String) -> JSON { object[name] ?? nil }

  /// Returns the elements of a list; empty when the member is missing or null.
  func list<T>(
    _ name: String, _ element: (JSON) throws(EventProblem) -> T
  ) throws(EventProblem) -> [T] {
    var values: [T] = []
    for json in try optional(name, "a list", \.array) ?? [] { values.append(try element(json)) }
    return values
  }

  func strings(_ name: String) throws(EventProblem) -> [String] {
    try list(name) { (json) throws(EventProblem) in
      guard let text = json.string else {
        throw EventProblem(message: "'\(name)' holds something that is no text")
      }
      return text
    }
  }

  func integers(_ name: String) throws(EventProblem) -> [Int] {
    try list(name) { (json) throws(EventProblem) in
      guard let number = json.integer.flatMap({ Int(exactly: $0) }) else {
        throw EventProblem(message: "'\(name)' holds something that is no whole number")
      }
      return number
    }
  }

  private func needed<T>(_ name: String, _ value: T?) throws(EventProblem) -> T {
    guard let value else { throw EventProblem(message: "'\(name)' is missing") }
    return value
  }

  private func optional<T>(
    _ name: String, _ type: String, _ read: (JSON) -> T?
  ) throws(EventProblem) -> T? {
    guard let json = object[name], !json.isNull else { return nil }
    guard let value = read(json) else { throw EventProblem(message: "'\(name)' is not \(type)") }
    return value
  }
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
