import Synchronization

/// The standard output of reports, which can be held back while a user types at the terminal.
final class HeldOutput: Sendable {
  private struct State {
    var isHeld = false
    var text = ""
    var problem: Int32 = 0
  }

  private let state = Mutex(State())
  private let send: @Sendable (String) -> Int32
  private let isTerminal: Bool

  /// - Parameter send: Writes a text; returns 0 or an errno value.
  init(isTerminal: Bool, _ send: @escaping @Sendable (String) -> Int32) {
    self.isTerminal = isTerminal
    self.send = send
  }

  /// Writes a text now or when the output is no longer held back; returns 0 or the errno value of this or an earlier
  /// write.
  func write(_ text: String) -> Int32 {
    state.withLock { state in
      if state.isHeld {
        state.text += text
        return state.problem
      }
      let problem = send(text)
      defer { state.problem = 0 }
      return problem != 0 ? problem : state.problem
    }
  }

  /// Holds the output back, or writes what was held back.
  func hold(_ isHeld: Bool) {
    state.withLock { state in
      state.isHeld = isHeld
      if isHeld {
        // Erases the line of progress, which the next event writes again.
        if isTerminal { _ = send("\r\u{1B}[K") }
      } else if !state.text.isEmpty {
        state.problem = send(state.text)
        state.text = ""
      }
    }
  }
}
