import Synchronization

/// Measures the time in which a state itself runs, without other work on its thread.
///
/// Any thread may read it, also during a long computation.
public final class CPUClock: Sendable {
  private struct State {
    var sum = Duration.zero
    var began: ContinuousClock.Instant?
    /// Whether the current stretch was interrupted.
    var isOverdue = false
  }

  private let state = Mutex(State())

  /// Starts at zero.
  public init() {}

  /// The total time so far.
  public var elapsed: Duration {
    state.withLock { state in
      state.sum + (state.began.map { $0.duration(to: .now) } ?? .zero)
    }
  }

  /// How long the state has been running without a pause; nil when it is not running.
  public var stretch: Duration? {
    state.withLock { $0.began.map { $0.duration(to: .now) } }
  }

  /// Calls `body` if the current stretch has lasted longer than the limit.
  ///
  /// - Parameter body: Runs before the stretch can end; the end of the stretch then returns true.
  public func ifRunning(longerThan limit: Duration, _ body: () -> Void) {
    state.withLock { state in
      guard let began = state.began, began.duration(to: .now) > limit else { return }
      state.isOverdue = true
      body()
    }
  }

  func begin() { state.withLock { $0.began = .now } }

  /// Ends a stretch; true when `ifRunning` called its closure in it.
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
