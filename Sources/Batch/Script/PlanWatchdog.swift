import Lua
import Host
import Synchronization

/// A watchdog that stops a Lua state that computes too long without yielding.
final class PlanWatchdog: Sendable {
  private struct State {
    var handle: ScriptStopHandle?
    var guardian: Task<Void, Never>?
    var hasStopped = false
  }

  /// How long a state may take to stop after it was told to.
  private static let mercy = Duration.seconds(2)

  private let state: Mutex<State>
  private let ownTime = CPUClock()

  /// - Parameters:
  ///   - limit: How long the state may compute without yielding.
  ///   - isGentle: Whether to interrupt the current computation first, which keeps other coroutines of the state; the
  ///     state is stopped only if the script catches the interruption.
  ///   - stuck: Called when the state cannot be stopped, because it is inside a C function.
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

  /// Ends the watchdog, before the state is closed.
  func release() {
    let guardian = state.withLock { state in
      state.handle = nil
      return state.guardian.take()
    }
    guardian?.cancel()
  }
}
