import Glibc

extension EventLoop {
  /// Sleeps without blocking the loop; safe from any thread.
  ///
  /// Throws early when the task is canceled or the loop stops.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    guard await rest(for: duration) else { throw CancellationError() }
  }

  private func rest(
    for duration: Duration, isolation: isolated (any Actor)? = #isolation
  ) async -> Bool {
    let sleeper = Sleeper(loop: self)
    return await withTaskCancellationHandler {
      // The capture keeps the closure on the caller's actor instead of the global executor.
      _ = isolation
      return await withUnsafeContinuation { continuation in
        performSoon { sleeper.begin(duration, continuation) }
      }
    } onCancel: {
      // Deferred, because the handler runs under the task's own lock.
      perform { sleeper.cancel() }
    }
  }

  /// Sleeps without a task: calls `done` afterwards, with false when the loop stops first.
  ///
  /// Call it on the loop's thread only. After `cancel` of the token `done` is not called.
  public func beginSleep(
    for duration: Duration, _ done: @escaping (_ isRested: Bool) -> Void
  ) -> TimerToken {
    let action = TimerQueue.Action(fire: { done(true) }, abandon: { done(false) })
    guard isClosed else { return schedule(after: duration, action) }
    let late = LateSleep(done: done)
    perform { late.done(false) }
    return TimerToken(number: 0)
  }
}

/// A sleep that begins after the loop has stopped; used on the loop's thread only.
private struct LateSleep: @unchecked Sendable {
  let done: (Bool) -> Void
}

/// One sleep.
///
/// Sendable, because only the loop's thread uses it.
private final class Sleeper: @unchecked Sendable {
  private let loop: EventLoop
  private var continuation: UnsafeContinuation<Bool, Never>?
  private var timer: TimerToken?
  private var isCancelled = false

  init(loop: EventLoop) { self.loop = loop }

  func begin(_ duration: Duration, _ continuation: UnsafeContinuation<Bool, Never>) {
    guard !isCancelled, !loop.isClosed else { return continuation.resume(returning: false) }
    self.continuation = continuation
    timer = loop.schedule(
      after: duration,
      TimerQueue.Action(fire: { self.finish(true) }, abandon: { self.finish(false) }))
  }

  func cancel() {
    isCancelled = true
    if let timer { loop.cancel(timer) }
    finish(false)
  }

  private func finish(_ isRested: Bool) {
    continuation?.resume(returning: isRested)
    continuation = nil
    timer = nil
  }
}

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

/// A time of CLOCK_MONOTONIC in nanoseconds, independent of the wall clock.
struct MonotonicTime: Comparable {
  let nanoseconds: Int64

  static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// Returns a later time; the maximum on overflow.
  func advanced(by duration: Duration) -> MonotonicTime {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    return MonotonicTime(nanoseconds: overflow ? .max : sum)
  }

  func duration(to later: MonotonicTime) -> Duration {
    .nanoseconds(later.nanoseconds - nanoseconds)
  }
}

extension Duration {
  /// The duration in nanoseconds, clamped to the range of `Int64`.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, overflows) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows ? .max : sum
  }

  /// The duration in milliseconds, rounded up, from 1 to the maximum of libcurl's `long`.
  var wholeMilliseconds: Int {
    let (milliseconds, rest) = wholeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return Int(min(max(milliseconds + (rest > 0 ? 1 : 0), 1), Int64(Int32.max)))
  }
}
