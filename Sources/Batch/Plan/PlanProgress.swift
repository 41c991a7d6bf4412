import Synchronization

/// How far a plan has come, for whoever shows it, and whether it shall end; used from any thread.
public final class PlanProgress: Sendable {
  private let done = Atomic<Int64>(0)
  private let refused = Atomic<Int64>(0)
  private let cancelled = Atomic<Bool>(false)

  /// At the beginning.
  public init() {}

  /// How many rows are in the plan.
  public var rows: Int64 { done.load(ordering: .relaxed) }
  /// How many of them were refused.
  public var refusedRows: Int64 { refused.load(ordering: .relaxed) }
  /// Whether the plan shall end early.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Ends the plan early.
  public func cancel() { cancelled.store(true, ordering: .relaxed) }

  func note(done: Int64, refused: Int64) {
    self.done.store(done, ordering: .relaxed)
    self.refused.store(refused, ordering: .relaxed)
  }
}
