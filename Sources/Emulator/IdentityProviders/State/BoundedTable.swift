internal import System

/// A table that drops its oldest entries when it is full, so that clients cannot exhaust the memory.
struct BoundedTable<Value> {
  private var values: [ExactString: Value] = [:]
  private var order: [ExactString] = []
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  var count: Int { values.count }

  mutating func removeAll(where isOver: (Value) -> Bool) {
    values = values.filter { !isOver($0.value) }
  }

  subscript(key: String) -> Value? {
    get { values[ExactString(key)] }
    set {
      let exact = ExactString(key)
      guard let newValue else {
        values[exact] = nil
        return
      }
      if values.updateValue(newValue, forKey: exact) == nil { order.append(exact) }
      guard order.count > limit else { return }
      // Removed entries keep their place in `order` until here.
      let surplus = order.prefix(order.count - limit / 2)
      for old in surplus where old != exact { values[old] = nil }
      order = order.suffix(limit / 2).filter { values[$0] != nil }
      if values[exact] != nil, !order.contains(exact) { order.append(exact) }
    }
  }
}
