import Glibc
import HTTP
import Lua
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
  }

  private(set) var settings: PromptSettings
  let console: PromptConsole
  let host: any PromptHost
  let board: PromptOutput
  let watchdog: PromptWatchdog

  /// Runs until the user leaves.
  ///
  /// - Throws: A `PromptProblem` when the prompt cannot start.
  func run() async throws(PromptProblem) -> Ending {
    LuaStopHandle.installHandler()
    let loop: EventLoop
    do throws(HTTPError) {
      loop = try EventLoop(name: "prompt")
      try loop.start()
    } catch {
      throw PromptProblem(error.message, hint: error.hint)
    }
    let place = try await host.place(PromptWish())
    let door = SessionProxy()
    let completer = Completer(door, folder: console.folder)
    var own = self
    own.settings.openHistory { [host] in host.clean($0) }
    let prompt = own
    let reader = reader(LuaLanguage(completer), prompt.settings.history)
    board.use(reader)
    watchdog.use(reader)
    let thread: ReaderThread
    do throws(PromptProblem) { thread = try ReaderThread(reader, watchdog) } catch {
      await place.close()
      loop.stop()
      loop.join()
      throw error
    }
    let ending = await LoopActor(loop).run { actor in
      await PromptLoop(
        place, prompt, door: door, completer: completer, thread: thread, actor: actor
      ).run()
    }
    thread.end()
    loop.stop()
    loop.join()
    return ending
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
