/// Identifies a timer for cancellation.
public struct TimerToken: Sendable, Hashable {
  let number: UInt64
}

/// Timers in a binary heap, ordered by due time.
///
/// Canceling only removes the action; the heap entry is dropped when it comes up, or when more than
/// half of the heap is dead.
struct TimerQueue {
  /// The action of a timer, and what to do if the loop stops before it is due.
  struct Action {
    let fire: () -> Void
    let abandon: (() -> Void)?
  }

  private struct Entry {
    let due: MonotonicTime
    let number: UInt64

    /// Timers due at the same time fire in the order they were created.
    func comes(before other: Entry) -> Bool {
      due == other.due ? number < other.number : due < other.due
    }
  }

  private var heap: [Entry] = []
  private var actions: [UInt64: Action] = [:]
  private var lastNumber: UInt64 = 0

  /// When the next active timer is due.
  var next: MonotonicTime? {
    mutating get {
      while let first = heap.first, actions[first.number] == nil { removeFirst() }
      return heap.first?.due
    }
  }

  mutating func add(due: MonotonicTime, _ action: Action) -> TimerToken {
    lastNumber += 1
    actions[lastNumber] = action
    heap.append(Entry(due: due, number: lastNumber))
    rise(heap.count - 1)
    return TimerToken(number: lastNumber)
  }

  @discardableResult
  mutating func cancel(_ token: TimerToken) -> Bool {
    guard actions.removeValue(forKey: token.number) != nil else { return false }
    if heap.count > 64, heap.count > 2 * actions.count { rebuild() }
    return true
  }

  /// Removes and returns the next due timer.
  mutating func takeDue(at now: MonotonicTime) -> Action? {
    while let first = heap.first, first.due <= now {
      removeFirst()
      if let action = actions.removeValue(forKey: first.number) { return action }
    }
    return nil
  }

  mutating func takeAll() -> [Action] {
    defer {
      heap = []
      actions = [:]
    }
    return heap.sorted { $0.comes(before: $1) }.compactMap { actions[$0.number] }
  }

  private mutating func rebuild() {
    // A sorted array is a valid heap.
    heap = heap.filter { actions[$0.number] != nil }.sorted { $0.comes(before: $1) }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, heap[child + 1].comes(before: heap[child]) { child += 1 }
      guard heap[child].comes(before: heap[parent]) else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }

  private mutating func rise(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].comes(before: heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }
}
