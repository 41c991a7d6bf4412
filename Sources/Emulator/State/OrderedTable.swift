internal import System

/// Values by key, listed in the order they were added.
struct OrderedTable<Value: Recorded> {
  /// Writes changes to the state file; nil if state is not saved.
  private let shelf: CollectionWriter?
  private var slots: [ExactString: Int] = [:]
  /// The rows from oldest to newest; a removed row leaves a gap, and `remove` closes gaps when they outnumber rows.
  private var rows: [(key: ExactString, value: Value)?] = []
  private var sweepAt = 1024

  init(on shelf: CollectionWriter?) {
    self.shelf = shelf
  }

  var count: Int { slots.count }

  subscript(key: String) -> Value? {
    slots[ExactString(string: key)].flatMap { rows[$0]?.value }
  }

  /// Adds a value at the end, or replaces the value that has the same key.
  mutating func put(_ value: Value, under key: String) {
    restore(value, under: key)
    shelf?.put(value.record, under: key)
  }

  /// Does the same as `put` for a value that is already recorded.
  mutating func restore(_ value: Value, under key: String) {
    let key = ExactString(string: key)
    if let slot = slots[key] {
      rows[slot] = (key, value)
    } else {
      slots[key] = rows.count
      rows.append((key, value))
    }
  }

  @discardableResult
  mutating func remove(_ key: String) -> Value? {
    guard let slot = slots.removeValue(forKey: ExactString(string: key)), let row = rows[slot]
    else { return nil }
    rows[slot] = nil
    if rows.count > 64, slots.count * 2 < rows.count { rebuild(from: rows.compactMap(\.self)) }
    shelf?.remove(key)
    return row.value
  }

  /// Removes stale values, but only if the table has doubled since the last sweep.
  mutating func sweep(where isStale: (Value) -> Bool) {
    guard slots.count >= sweepAt else { return }
    for case let row? in rows where isStale(row.value) { shelf?.remove(row.key.string) }
    rebuild(from: rows.compactMap { row in row.flatMap { isStale($0.value) ? nil : $0 } })
    sweepAt = max(1024, slots.count * 2)
  }

  private mutating func rebuild(from kept: [(key: ExactString, value: Value)]) {
    rows = kept
    slots = Dictionary(minimumCapacity: kept.count)
    for (slot, row) in kept.enumerated() { slots[row.key] = slot }
  }

  /// All values, oldest first.
  var all: [Value] { rows.compactMap { $0?.value } }
}
