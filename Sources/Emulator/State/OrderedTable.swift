internal import Encoding

/// Values by key that are listed in the order they came, however many there are.
struct OrderedTable<Value> {
  private var values: [ExactString: (position: Int, value: Value)] = [:]
  private var nextPosition = 0

  var isEmpty: Bool { values.isEmpty }
  var count: Int { values.count }

  subscript(key: String) -> Value? { values[ExactString(string: key)]?.value }

  /// Puts a value at the end, or in the place of the one under the same key.
  mutating func put(_ value: Value, under key: String) {
    let key = ExactString(string: key)
    let position = values[key]?.position ?? nextPosition
    if position == nextPosition { nextPosition += 1 }
    values[key] = (position, value)
  }

  @discardableResult
  mutating func remove(_ key: String) -> Value? {
    values.removeValue(forKey: ExactString(string: key))?.value
  }

  /// All values, oldest first.
  var all: [Value] { values.values.sorted { $0.position < $1.position }.map(\.value) }
}
