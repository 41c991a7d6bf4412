/// A ring of values for rows with numbers close together, with access by index.
struct RowWindow<Value> {
  private var slots: [(number: Int64, value: Value)?]
  private(set) var count = 0

  /// Creates a window for numbers that are less than `width` apart.
  init(width: Int64) {
    slots = Array(repeating: nil, count: Int(width))
  }

  var isEmpty: Bool { count == 0 }

  /// The numbers that have a value, in ascending order.
  var numbers: [Int64] { slots.compactMap { $0?.number }.sorted() }

  /// The value of a row; set it to nil to remove it.
  subscript(number: Int64) -> Value? {
    get {
      guard let slot = slots[place(of: number)], slot.number == number else { return nil }
      return slot.value
    }
    set {
      let place = place(of: number)
      let known = slots[place].map { $0.number == number } ?? false
      precondition(known || slots[place] == nil || newValue == nil, "rows are too far apart")
      count += (newValue == nil ? 0 : 1) - (known ? 1 : 0)
      if newValue != nil || known { slots[place] = newValue.map { (number, $0) } }
    }
  }

  private func place(of number: Int64) -> Int { Int(number % Int64(slots.count)) }
}
