import System

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
