internal import Encoding

/// A value that outlives the process in a state file.
protocol Recorded {
  /// Everything the value holds; what is nil is absent.
  var record: JSONObject { get }

  /// Reads a value back; nil when the record is not one of these.
  init?(record: JSONObject)
}

extension JSONObject {
  /// Sets `key` when there is a value.
  mutating func set(_ key: String, _ value: Int64?) {
    if let value { self[key] = .integer(value) }
  }

  /// Sets `key` to true, or leaves it out.
  mutating func flag(_ key: String, _ value: Bool) {
    if value { self[key] = true }
  }
}
