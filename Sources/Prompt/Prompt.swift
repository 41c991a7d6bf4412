import Glibc
import HTTP
import Host

/// The prompt: reads entries, runs them, and prints their results, until the user leaves.
struct Prompt: Sendable {
  /// How a prompt ended.
  struct Ending: Sendable {
    /// The status passed to `os.exit`; nil when the prompt ended otherwise.
    var status: Int32?
    /// Whether an entry failed.
    var hasFailed = false
    /// Whether there was any entry.
    var hasRun = false
    /// What the user chose at a pause.
    var answer = PauseAnswer.goOn
  }

  private(set) var settings: PromptSettings
  let console: PromptConsole
  let host: any PromptHost
  let board: PromptOutput
  let interrupts: PromptInterrupts
  /// What `.journey` wrote at pauses of the same run.
  var edits = JourneyEdits()

  /// Runs until the user leaves.
  ///
  /// - Throws: A `PromptProblem` when the prompt cannot start.
  func run() async throws(PromptProblem) -> Ending {
    let loop = try EventLoop.started("prompt") { PromptProblem($0.message, hint: $0.hint) }
    let place = try await host.place(PromptWish())
    let door = SessionProxy()
    let completer = Completer(door, folder: console.folder)
    var own = self
    own.settings.openHistory { [host] in host.clean($0) }
    let prompt = own
    let reader = reader(LuaLanguage(completer), prompt.settings.history)
    board.use(reader)
    interrupts.use(reader)
    let thread: ReaderThread
    do throws(PromptProblem) { thread = try ReaderThread(reader, interrupts) } catch {
      await place.close()
      loop.stop()
      loop.join()
      throw error
    }
    let ending = await LoopActor(loop).run { actor in
      await PromptLoop(place, prompt, door: door, completer: completer, thread: thread, loop) {
        prompt.session(Interpreter(context: $0.context, actor: actor))
      }.run()
    }
    thread.end()
    loop.stop()
    loop.join()
    return ending
  }

  /// Runs in the state of a paused script until the user leaves; called on the thread of its loop.
  func run(in interpreter: Interpreter, at spot: PauseSpot) async throws(PromptProblem) -> Ending {
    let door = SessionProxy()
    let completer = Completer(door, folder: console.folder, isPause: true)
    var prompt = self
    prompt.settings.openHistory { [host] in host.clean($0) }
    let reader = prompt.reader(LuaLanguage(completer), prompt.settings.history)
    board.use(reader)
    interrupts.use(reader)
    let thread = try ReaderThread(reader, interrupts)
    let place = PromptTarget(context: interpreter.context, words: "", firstStep: "")
    let loop = PromptLoop(
      place, prompt, door: door, completer: completer, thread: thread, interpreter.loop, at: spot
    ) { _ in
      prompt.session(interpreter, at: spot)
    }
    let ending = await loop.run()
    thread.end()
    return ending
  }

  private func session(_ interpreter: Interpreter, at spot: PauseSpot? = nil) -> PromptSession {
    PromptSession(
      interpreter, interrupts: interrupts, board: board, at: spot,
      commands: console.commands, clean: { [host] in host.clean($0) }
    ) { [console] path in
      // At a pause, the source that runs; the file may have been saved since.
      if spot != nil, let loaded = interpreter.loadedSource(of: path) { return loaded }
      guard case .success(let text) = console.read(path) else { return nil }
      return text
    }
  }

  /// A line editor if the terminal can move its cursor, otherwise a plain reader of lines.
  private func reader(_ language: LuaLanguage, _ history: History?) -> any PromptReader {
    if console.isInteractive, let terminal = TerminalDevice(type: console.environment["TERM"]) {
      return LineEditor(
        terminal, history: history ?? History(), language: language,
        usesColours: console.environment["NO_COLOR", default: ""].isEmpty)
    }
    return PlainReader(output: console.isInteractive ? STDOUT_FILENO : nil, language: language)
  }
}

/// The files of a prompt.
struct PromptSettings: Sendable {
  /// The path of the history file; nil to store no history.
  var historyFile: String?
  /// The script that runs before the first entry; nil for none.
  var startFile: String?
  /// The history; nil until a prompt has opened it.
  private(set) var history: History?

  /// Creates settings with these files.
  init(historyFile: String? = nil, startFile: String? = nil) {
    self.historyFile = historyFile
    self.startFile = startFile
  }

  /// The environment variable with the path of the history file; if it is empty, no history is stored.
  static let historyVariable = "LUATH_HISTORY"

  /// Finds the files by the environment: the XDG Base Directory Specification and `LUATH_HISTORY`.
  init(environment: [String: String]) {
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let state =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? home.map { "\($0)/.local/state" }
    let own = environment[Self.historyVariable]
    let history = own.map { $0.isEmpty ? nil : $0 } ?? state.map { "\($0)/luath/history" }
    self.init(historyFile: history, startFile: StartFile.find(environment))
  }

  /// Opens the history.
  ///
  /// - Parameter clean: removes known secrets from an entry.
  mutating func openHistory(clean: @escaping @Sendable (String) -> String) {
    let cleaner = HistoryCleaner(clean: clean)
    history = History(file: historyFile) { cleaner($0) }
  }
}
