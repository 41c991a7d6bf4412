import Glibc
import Synchronization
import System

/// Measures the time in which a state itself runs, without other work on its thread.
///
/// Any thread may read it, also during a long computation.
final class CPUClock: Sendable {
  private struct State {
    var sum = Duration.zero
    var began: ContinuousClock.Instant?
    /// The number of the last stretch.
    var number = 0
    /// Whether the current stretch was interrupted.
    var isOverdue = false
  }

  private let state = Mutex(State())

  /// The total time so far.
  var elapsed: Duration {
    state.withLock { $0.sum + ($0.began?.duration(to: .now) ?? .zero) }
  }

  /// The number of the current stretch, and how long the state has been running in it without a pause.
  var stretch: (number: Int, time: Duration)? {
    state.withLock { state in state.began.map { (state.number, $0.duration(to: .now)) } }
  }

  /// Calls `body` if the stretch of this number has not ended.
  ///
  /// - Parameter body: Runs before the stretch can end; the end of the stretch then returns true.
  func ifRunning(_ number: Int, _ body: () -> Void) {
    state.withLock { state in
      guard state.began != nil, state.number == number else { return }
      state.isOverdue = true
      body()
    }
  }

  func begin() {
    state.withLock { state in
      state.began = .now
      state.number += 1
    }
  }

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

/// Measures how long a thread has waited for a processor.
///
/// A grace period that does not count this time is as fair on a busy machine as on an idle one.
struct ProcessorWait: Sendable {
  private let path: String

  /// Measures the calling thread.
  init() {
    var name = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &name, name.count)
    let thread = String(decoding: name.prefix(max(0, count)).map(UInt8.init), as: UTF8.self)
    path = "/proc/\(thread)/schedstat"
  }

  /// The waiting time so far; zero if the kernel does not measure it.
  var duration: Duration {
    guard let bytes = try? WholeFile.read(path) else { return .zero }
    // The fields are nanoseconds on a processor, nanoseconds waiting for one, and the number of time slices.
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? .nanoseconds(Int64(fields[1]) ?? 0) : .zero
  }
}
