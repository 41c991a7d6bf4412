import Synchronization
import Terminal

/// What goes out of a prompt, whichever thread it comes from: beside what is being typed.
public final class PromptBoard: Sendable {
  private struct State {
    var reader: (any PromptReader)?
    var isTracing = false
    var entry = 0
    var events: [(entry: Int, line: String)] = []
  }

  /// How many exchanges are remembered.
  private static let mostEvents = 500

  private let state = Mutex(State())
  private let console: PromptConsole

  /// The board of a console.
  ///
  /// - Parameter isTracing: whether each exchange is shown.
  public init(_ console: PromptConsole, isTracing: Bool) {
    self.console = console
    state.withLock { $0.isTracing = isTracing }
  }

  /// Takes note of an exchange, in one line without secrets.
  public func traced(_ line: String) {
    let isTracing = state.withLock { state in
      state.events.append((state.entry, line))
      if state.events.count > Self.mostEvents { state.events.removeFirst() }
      return state.isTracing
    }
    if isTracing { note("trace: \(line)\n") }
  }

  /// Shows a result, or what a script prints.
  func write(_ text: String) {
    if let reader = terminalReader { reader.printAbove(text) } else { console.write(text) }
  }

  /// Shows an error or a note.
  func note(_ text: String) {
    if let reader = terminalReader { reader.printAbove(text) } else { console.writeError(text) }
  }

  func use(_ reader: any PromptReader) { state.withLock { $0.reader = reader } }

  /// Who shows texts beside what is typed; nil where nobody types.
  private var terminalReader: (any PromptReader)? {
    console.isInteractive ? state.withLock(\.reader) : nil
  }

  var isTracing: Bool {
    get { state.withLock(\.isTracing) }
    set { state.withLock { $0.isTracing = newValue } }
  }

  /// What comes now belongs to the text of this number.
  func begin(_ entry: Int) { state.withLock { $0.entry = entry } }

  /// What was exchanged, with the number of the text that was at hand.
  var events: [(entry: Int, line: String)] { state.withLock(\.events) }

  func forgetEvents() { state.withLock { $0.events = [] } }
}
