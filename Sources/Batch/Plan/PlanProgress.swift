import Synchronization

/// The progress of planning for a progress display, and a cancel flag; thread-safe.
public final class PlanProgress: Sendable {
  private let done = Atomic<Int64>(0)
  private let refused = Atomic<Int64>(0)
  private let cancelled = Atomic<Bool>(false)

  /// Starts at zero rows.
  public init() {}

  /// The number of rows in the plan so far.
  public var rows: Int64 { done.load(ordering: .relaxed) }
  /// The number of refused rows so far.
  public var refusedRows: Int64 { refused.load(ordering: .relaxed) }
  /// Whether planning was canceled.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Requests that planning ends early.
  public func cancel() { cancelled.store(true, ordering: .relaxed) }

  func note(done: Int64, refused: Int64) {
    self.done.store(done, ordering: .relaxed)
    self.refused.store(refused, ordering: .relaxed)
  }
}
