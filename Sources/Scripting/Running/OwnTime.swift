import Synchronization

/// The time in which a state itself ran, without what others on its thread took meanwhile.
///
/// Read from any thread, also in the middle of a long computation.
public final class OwnTime: Sendable {
  private struct State {
    var sum = Duration.zero
    var began: ContinuousClock.Instant?
    /// Whether the stretch at hand was told to end.
    var isOverdue = false
  }

  private let state = Mutex(State())

  /// Starts at none.
  public init() {}

  /// The time so far.
  public var elapsed: Duration {
    state.withLock { state in
      state.sum + (state.began.map { $0.duration(to: .now) } ?? .zero)
    }
  }

  /// For how long it has been running without giving way; nil when it does not run.
  public var stretch: Duration? {
    state.withLock { $0.began.map { $0.duration(to: .now) } }
  }

  /// Does something about a stretch that takes longer than it may; nothing when it is over by then.
  ///
  /// - Parameter body: Is called before the stretch can end, from whose end on the state knows of it.
  public func ifRunning(longerThan limit: Duration, _ body: () -> Void) {
    state.withLock { state in
      guard let began = state.began, began.duration(to: .now) > limit else { return }
      state.isOverdue = true
      body()
    }
  }

  func begin() { state.withLock { $0.began = .now } }

  /// Ends a stretch; true when it was told to end.
  @discardableResult
  func end() -> Bool {
    state.withLock { state in
      if let began = state.began { state.sum += began.duration(to: .now) }
      state.began = nil
      defer { state.isOverdue = false }
      return state.isOverdue
    }
  }
}
