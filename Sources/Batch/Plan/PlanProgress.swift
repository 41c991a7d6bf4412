import Synchronization

/// The progress of planning for a progress display, and a cancel flag; thread-safe.
final class PlanProgress: Sendable {
  private let done = Atomic<Int64>(0)
  private let refused = Atomic<Int64>(0)
  private let cancelled = Atomic<Bool>(false)

  /// Starts at zero rows.
  init() {}

  /// The number of rows in the plan so far.
  var rows: Int64 { done.load(ordering: .relaxed) }
  /// The number of refused rows so far.
  var refusedRows: Int64 { refused.load(ordering: .relaxed) }
  /// Whether planning was canceled.
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Requests that planning ends early.
  func cancel() { cancelled.store(true, ordering: .relaxed) }

  func note(done: Int64, refused: Int64) {
    self.done.store(done, ordering: .relaxed)
    self.refused.store(refused, ordering: .relaxed)
  }
}
