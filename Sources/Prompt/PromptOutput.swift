import Synchronization

/// The output of a prompt, from any thread; at a terminal it is printed above the edited entry.
final class PromptOutput: Sendable {
  private struct State {
    var reader: (any PromptReader)?
    var isTracing = false
    var entry = 0
    var events: [(entry: Int, line: String)] = []
  }

  /// The number of HTTP exchanges that are kept.
  private static let mostEvents = 500

  private let state = Mutex(State())
  private let console: PromptConsole

  /// Creates the output of a console.
  ///
  /// - Parameter isTracing: whether each HTTP exchange is printed.
  init(_ console: PromptConsole, isTracing: Bool) {
    self.console = console
    state.withLock { $0.isTracing = isTracing }
  }

  /// Records an HTTP exchange, as one line without secrets.
  func traced(_ line: String) {
    let isTracing = state.withLock { state in
      state.events.append((state.entry, line))
      if state.events.count > Self.mostEvents { state.events.removeFirst() }
      return state.isTracing
    }
    if isTracing { note("trace: \(line)\n") }
  }

  /// Prints a result or the output of a script.
  func write(_ text: String) {
    if let reader = terminalReader { reader.printAbove(text) } else { console.write(text) }
  }

  /// Prints an error or a note.
  func note(_ text: String) {
    if let reader = terminalReader { reader.printAbove(text) } else { console.writeError(text) }
  }

  func use(_ reader: any PromptReader) { state.withLock { $0.reader = reader } }

  /// The reader that prints above the edited entry; nil without a terminal.
  private var terminalReader: (any PromptReader)? {
    console.isInteractive ? state.withLock(\.reader) : nil
  }

  var isTracing: Bool {
    get { state.withLock(\.isTracing) }
    set { state.withLock { $0.isTracing = newValue } }
  }

  /// Sets the number of the entry that the following exchanges belong to.
  func begin(_ entry: Int) { state.withLock { $0.entry = entry } }

  /// The HTTP exchanges, each with the number of its entry.
  var events: [(entry: Int, line: String)] { state.withLock(\.events) }

  func forgetEvents() { state.withLock { $0.events = [] } }
}
