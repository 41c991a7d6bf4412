import Synchronization

// Unchecked: only the one thread inside `readText` uses `language`, `kills`, `decoder` and `ahead` (its
// documentation requires that). Everything that other threads use is in `view` and `isInterrupted`.
/// Edits entries at a terminal.
///
/// One thread reads entries; other threads may print meanwhile.
final class LineEditor: PromptReader, @unchecked Sendable {
  private struct View {
    var renderer: Renderer
    /// The edited entry; nil while none is edited.
    var screen: Screen?
    var columns = 80
    /// A line without an end that was printed above the entry.
    var openLine = ""
  }

  private let terminal: TerminalDevice
  private let history: History
  private let language: any EditorLanguage
  private let usesColours: Bool
  private let view: Mutex<View>
  private let isInterrupted = Atomic(false)
  private var decoder = KeyDecoder()
  private var kills = KillRing()
  /// Keys that were read together with the end of the last entry.
  private var ahead: [Key] = []

  /// Creates an editor for a terminal.
  ///
  /// - Parameters:
  ///   - history: earlier entries; new entries are added.
  ///   - language: the language of the entries.
  ///   - usesColours: false where the environment has `NO_COLOR` (no-color.org).
  init(
    _ terminal: TerminalDevice, history: History, language: any EditorLanguage,
    usesColours: Bool = true
  ) {
    self.terminal = terminal
    self.history = history
    self.language = language
    self.usesColours = usesColours
    view = Mutex(View(renderer: Renderer(usesColours: usesColours)))
  }

  /// Waits for an entry and blocks the calling thread; only one thread at a time may call it.
  ///
  /// - Parameters:
  ///   - prompt: shown before the first line.
  ///   - continuation: shown before each further line.
  /// - Returns: the entry when the language considers it complete; `ended` also when the terminal is
  ///   gone.
  func readText(prompt: String, continuation: String) -> TypedText {
    guard terminal.enter() else { return .ended }
    var editor = Editor(
      prompt: prompt, continuation: continuation, language: language, entries: history.entries,
      kills: kills, usesColours: usesColours)
    begin(&editor)
    let typed = edit(&editor)
    kills = editor.kills
    end(editor, typed)
    terminal.leave()
    if case .text(let text) = typed { history.add(text) }
    return typed
  }

  private func edit(_ editor: inout Editor) -> TypedText {
    while true {
      if isInterrupted.exchange(false, ordering: .acquiringAndReleasing) { return .interrupted }
      var keys = ahead
      ahead = []
      if keys.isEmpty {
        switch terminal.read(within: decoder.limit) {
        case .bytes(let bytes): keys = decoder.feed(bytes)
        case .silence: keys = decoder.timeOut()
        case .resized: redraw(&editor)
        case .continued: redraw(&editor, isLost: true)
        case .woken: continue
        case .ended: return .ended
        }
      }
      for (index, key) in keys.enumerated() {
        switch editor.handle(key) {
        case .goOn: break
        case .bell: terminal.write("\u{07}")
        case .clear: clear()
        case .suspend:
          leaveScreen()
          terminal.stop()
        case .finished(let typed):
          ahead = Array(keys[(index + 1)...])
          return typed
        }
      }
      if !keys.isEmpty { show(&editor) }
    }
  }

  /// Prints text above the edited entry; from any thread.
  ///
  /// Color sequences are kept; all other control characters are escaped. A line without an end is
  /// continued by the next text.
  func printAbove(_ text: String) {
    guard !text.isEmpty else { return }
    view.withLock { view in
      let text = view.openLine + ShownText.lines(text, usesColours: usesColours)
      guard let screen = view.screen else {
        view.openLine = ""
        return terminal.write(text)
      }
      // An open line is erased and written again together with its continuation.
      let width = ShownText.rows(of: view.openLine, columns: view.columns)
      var output = view.renderer.erase(columns: view.columns)
      if width > 0 { output += "\u{1B}[\(width)A\u{1B}[J" }
      let ends = text.hasSuffix("\n")
      view.openLine =
        ends
        ? ""
        : String(
          text[(text.lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex)...])
      if view.openLine.utf8.count > 4096 { view.openLine = "" }
      output += text + (ends ? "" : "\n")
      output += view.renderer.show(screen, columns: view.columns)
      terminal.write(output)
    }
  }

  /// Makes the waiting `readText`, or else the next one, return `interrupted`; from any thread.
  func interrupt() {
    isInterrupted.store(true, ordering: .releasing)
    terminal.wake()
  }

  private func begin(_ editor: inout Editor) {
    let size = terminal.size
    // If the cursor is not at a line's start, the blanks wrap to the next line; otherwise they are erased.
    terminal.write(String(repeating: " ", count: size.columns) + "\r\u{1B}[K")
    show(&editor)
  }

  private func show(_ editor: inout Editor) {
    let size = terminal.size
    let screen = editor.screen(columns: size.columns, rows: size.rows)
    view.withLock { view in
      var output = ""
      if view.columns != size.columns, view.screen != nil {
        output = view.renderer.erase(columns: size.columns)
      }
      output += view.renderer.show(screen, columns: size.columns)
      view.screen = screen
      view.columns = size.columns
      terminal.write(output)
      terminal.noteBelow(view.renderer.rowsBelow)
    }
  }

  /// Redraws everything.
  ///
  /// - Parameter isLost: whether another program may have changed the screen.
  private func redraw(_ editor: inout Editor, isLost: Bool = false) {
    let size = terminal.size
    view.withLock { view in
      if isLost {
        view.renderer.forget()
      } else {
        terminal.write(view.renderer.erase(columns: size.columns))
      }
      view.screen = nil
      view.openLine = ""
    }
    show(&editor)
  }

  private func clear() {
    view.withLock { view in
      view.renderer.forget()
      view.openLine = ""
      terminal.write("\u{1B}[H\u{1B}[2J")
    }
  }

  private func leaveScreen() {
    view.withLock { view in
      terminal.noteBelow(nil)
      terminal.write(view.renderer.leave())
      view.screen = nil
      view.openLine = ""
    }
  }

  /// Leaves the whole entry on the terminal, with the cursor below it.
  private func end(_ editor: Editor, _ typed: TypedText) {
    let size = terminal.size
    view.withLock { view in
      var output = ""
      if let last = editor.finalScreen(columns: size.columns, rows: size.rows) {
        let isWhole = last.rows.count <= size.rows
        if !isWhole || view.columns != size.columns {
          output += view.renderer.erase(columns: size.columns)
        }
        output += view.renderer.show(last, columns: size.columns)
      }
      output += view.renderer.leave()
      terminal.noteBelow(nil)
      view.screen = nil
      view.openLine = ""
      terminal.write(output)
    }
  }
}
