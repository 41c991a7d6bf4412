internal import System

/// A value that can be stored in a state file.
protocol Recorded {
  /// All fields of the value; those that are nil are absent.
  var record: JSONObject { get }

  /// Reads a value back; nil when the record is malformed.
  init?(record: JSONObject)
}

extension JSONObject {
  mutating func set(_ key: String, _ value: Int64?) {
    if let value { self[key] = .integer(value) }
  }

  /// Sets `key` to true, or leaves it out when `value` is false.
  mutating func flag(_ key: String, _ value: Bool) {
    if value { self[key] = true }
  }
}
