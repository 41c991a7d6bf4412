import Lua
import Scripting
import Synchronization

/// Stops a state that computes on without giving way, which nothing within Lua can end.
final class PlanLeash: Sendable {
  private struct State {
    var handle: ScriptStopHandle?
    var guardian: Task<Void, Never>?
    var hasStopped = false
  }

  /// What a state that was told to stop may still take.
  private static let mercy = Duration.seconds(2)

  private let state: Mutex<State>
  private let ownTime = OwnTime()

  /// - Parameters:
  ///   - limit: How long the state may compute without giving way.
  ///   - isGentle: Whether what computes is interrupted first, which leaves others of the state as they are;
  ///     only when it catches that the state is stopped.
  ///   - stuck: Is called when it cannot be stopped: it is inside a function of C.
  init(
    _ interpreter: Interpreter, limit: Duration, isGentle: Bool = false,
    stuck: @escaping @Sendable () -> Void = {}
  ) {
    LuaStopHandle.installHandler()
    interpreter.ownTime = ownTime
    state = Mutex(State(handle: interpreter.stopHandle))
    let guardian = Task.detached { [self] in
      while (try? await Task.sleep(for: .milliseconds(200))) != nil {
        if isGentle { interrupt(limit) }
        let limit = isGentle ? limit + Self.mercy : limit
        guard let stretch = ownTime.stretch, stretch > limit else { continue }
        let wasAsked = state.withLock { state in
          defer { state.hasStopped = true }
          if !state.hasStopped { state.handle?.request(.time) }
          return state.hasStopped
        }
        if wasAsked, stretch > limit + Self.mercy { return stuck() }
      }
    }
    state.withLock { $0.guardian = guardian }
  }

  private func interrupt(_ limit: Duration) {
    ownTime.ifRunning(longerThan: limit) {
      state.withLock { $0.handle?.interruptComputation() }
    }
  }

  /// The state is going to be closed.
  func release() {
    let guardian = state.withLock { state in
      state.handle = nil
      return state.guardian.take()
    }
    guardian?.cancel()
  }
}
