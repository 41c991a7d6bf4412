import Synchronization

/// The time in which a state itself ran, without what others on its thread took meanwhile.
///
/// Read from any thread, also in the middle of a long computation.
public final class OwnTime: Sendable {
  private struct State {
    var sum = Duration.zero
    var began: ContinuousClock.Instant?
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

  func begin() { state.withLock { $0.began = .now } }

  func end() {
    state.withLock { state in
      if let began = state.began { state.sum += began.duration(to: .now) }
      state.began = nil
    }
  }
}
