import Glibc
import HTTP
import Host
import System

/// Reads entries and runs them in the current session.
///
/// Used on the thread of the session's loop. Entries are read on a separate thread, so that the session's
/// tasks continue meanwhile.
final class PromptLoop {
  let settings: PromptSettings
  let console: PromptConsole
  let host: any PromptHost
  let board: PromptOutput
  let interrupts: PromptInterrupts
  let loop: EventLoop
  /// Where a script is paused; nil for a prompt of its own.
  let spot: PauseSpot?
  private let makeSession: (PromptTarget) -> PromptSession
  let door: SessionProxy
  let completer: Completer
  let thread: ReaderThread
  var place: PromptTarget
  var wish = PromptWish()
  var ending = Prompt.Ending()
  var session: PromptSession
  /// The entries of earlier sessions, oldest first.
  var earlier: [String]
  /// Whether the time of each entry is printed.
  var tellsTime = false
  var isLeaving = false
  /// The last entry that `.journey` wrote at this pause, and how many lines it wrote in all.
  var written = (entry: 0, lines: 0)
  /// What `.journey` wrote at this and earlier pauses of the run.
  let edits: JourneyEdits

  /// - Parameters:
  ///   - spot: where a script is paused; nil for a prompt of its own.
  ///   - makeSession: makes the session of a target.
  init(
    _ place: PromptTarget, _ prompt: Prompt, door: SessionProxy, completer: Completer,
    thread: ReaderThread, _ loop: EventLoop, at spot: PauseSpot? = nil,
    _ makeSession: @escaping (PromptTarget) -> PromptSession
  ) {
    self.place = place
    self.spot = spot
    self.makeSession = makeSession
    settings = prompt.settings
    edits = prompt.edits
    console = prompt.console
    host = prompt.host
    board = prompt.board
    interrupts = prompt.interrupts
    self.door = door
    self.completer = completer
    self.thread = thread
    self.loop = loop
    session = makeSession(place)
    earlier = settings.history?.entries ?? []
  }

  func run() async -> Prompt.Ending {
    await begin()
    if spot != nil {
      tellPlace()
    } else if console.isInteractive {
      board.write(
        """
        luath \(Version.current) at \(place.words)
        first step: \(place.firstStep)
        .help lists commands, Tab completes, Ctrl-D leaves

        """)
    }
    var wasInterrupted = false
    while ending.status == nil, !isLeaving, !interrupts.isEnded {
      if let warning = settings.history?.takeWarning() { board.note("warning: \(warning)\n") }
      let number = String(session.number + 1)
      // As wide as the number, so that the lines of an entry are aligned.
      let arrows = String(repeating: ">", count: number.count + 1)
      let isAsked = console.isInteractive
      let typed = await thread.read(
        prompt: isAsked ? "\(number)> " : "", continuation: isAsked ? "\(arrows) " : "")
      switch typed {
      case .ended:
        if TerminalDevice.isGone { ending.answer = .abort }
        isLeaving = true
      case .interrupted where interrupts.isEnded: break
      case .interrupted:
        if let stop = await session.stoppedMeanwhile() {
          show(stop)
          continue
        }
        isLeaving = wasInterrupted
        wasInterrupted = true
        if isLeaving { ending.answer = .abort }
        if !isLeaving { board.note(spot == nil ? Self.farewell : Self.pauseFarewell) }
      case .dropped:
        // A user who discards an entry does not want to leave.
        wasInterrupted = false
      case .text(let text):
        wasInterrupted = false
        await take(text)
      }
    }
    if interrupts.isEnded { ending.answer = .abort }
    door.close()
    await session.end()
    await place.close()
    return ending
  }

  private static let farewell = "Ctrl-C again, Ctrl-D or exit() leaves\n"
  private static let pauseFarewell = "Ctrl-C again ends the run, Ctrl-D or .continue goes on\n"

  private func begin() async {
    do throws(PromptProblem) {
      try await session.begin(isShared: console.isInteractive)
    } catch {
      tell(error)
    }
    session.columns = console.columns()
    if spot == nil { await runStartFile() }
    guard console.isInteractive else { return }
    let words = session.names.keys + ["help", "apropos", "reveal", "print", "_", "_err"]
    completer.learn(
      names: Set(words).union(Self.library), targets: place.context.targets.keys.sorted())
    door.open(to: session, on: loop)
    // Later, while the user reads the first prompt.
    door.later { [completer] in completer.learn($0.catalogue) }
  }

  private static let library: Set<String> = [
    "assert", "collectgarbage", "coroutine", "debug", "dofile", "error", "getmetatable", "io",
    "ipairs", "load", "loadfile", "math", "next", "os", "package", "pairs", "pcall", "rawequal",
    "rawget", "rawlen", "rawset", "require", "select", "setmetatable", "string", "table",
    "tonumber", "tostring", "type", "utf8", "warn", "xpcall",
  ]

  private func runStartFile() async {
    guard let path = settings.startFile else { return }
    if let problem = StartFile.problem(of: path) { return tell(problem) }
    await load(path)
  }

  /// Starts another session and ends the current one.
  func begin(at wish: PromptWish) async {
    let next: PromptTarget
    do throws(PromptProblem) { next = try await host.place(wish) } catch { return tell(error) }
    door.close()
    await session.end()
    await place.close()
    earlier += session.history.map(\.text)
    self.wish = wish
    place = next
    session = makeSession(next)
    board.forgetEvents()
    await begin()
    board.note("a new session at \(place.words)\n")
  }

  // MARK: Entries

  private func take(_ text: String) async {
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    ending.hasRun = true
    if let command = PromptCommand(text) {
      await run(command)
    } else if let request = HelpRequest(text) {
      show(await session.explain(path: request.name))
    } else if spot != nil, let command = PromptCommand.meant(by: text), !session.has(command) {
      tell(PromptProblem("commands of a pause begin with a dot", hint: ".\(command)"))
    } else if let word = LoneWord(text), !session.has(word.name) {
      switch word {
      case .help: board.write(PromptCommand.overview(isPause: spot != nil))
      case .leave(_, let status):
        if spot != nil, status ?? 0 != 0 { ending.answer = .abort }
        ending.status = status
        isLeaving = true
      }
    } else {
      await run(text)
    }
  }

  /// Runs an entry and prints its results.
  ///
  /// - Parameters:
  ///   - name: the path of its file; nil when it was typed.
  ///   - isWhole: whether long results are printed in full.
  func run(
    _ text: String, from name: String? = nil, tellsTime: Bool = false, isWhole: Bool = false
  ) async {
    if name == nil, let problem = HistoryCleaner.problem(of: text) { return tell(problem) }
    session.columns = console.columns()
    // What is typed at a pause is part of a run, whose reports must not show it.
    if spot != nil { host.hide(SourceSecrets(text).namedValues.map(\.value)) }
    let start = ContinuousClock.now
    let outcome = await session.run(text, from: name, isWhole: isWhole)
    let time = start.duration(to: .now)
    show(outcome)
    if tellsTime || self.tellsTime {
      let number = session.number
      let count = board.events.count { $0.entry == number }
      let exchanges = spot == nil ? ", \(count) exchange\(count == 1 ? "" : "s")" : ""
      board.note("\(Self.milliseconds(time)) ms\(exchanges)\n")
    }
    // Tasks that fail during a pause belong to the journey.
    guard spot == nil else { return }
    for failure in session.interpreter.takeUnseenFailures() {
      ending.hasFailed = true
      board.note("a task failed: " + host.clean(session.words(failure)))
    }
  }

  private static func milliseconds(_ time: Duration) -> String {
    let tenths = Int((time / .milliseconds(1) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  func show(_ outcome: PromptSession.Ending) {
    switch outcome {
    case .shown(let texts):
      for text in texts { board.write(text + "\n") }
    case .failed(let words):
      ending.hasFailed = true
      board.note(host.clean(words))
    case .left(let status):
      ending.answer = .abort
      ending.status = status
    }
  }

  func tell(_ problem: PromptProblem) {
    ending.hasFailed = true
    board.note("error: \(problem.message)\n" + (problem.hint.map { "  hint: \($0)\n" } ?? ""))
  }
}
