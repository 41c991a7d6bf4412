import System
import HTTP
import Lua
import Reference
import Host

/// A session at the prompt: runs entries in one Lua state and keeps their variables.
///
/// Used on the thread of its interpreter's loop.
final class PromptSession {
  enum Ending: Equatable {
    case shown([String])
    case failed(String)
    /// `os.exit` was called with this status.
    case left(Int32)
  }

  static let module = "luath.prompt.session"

  let interpreter: Interpreter
  private let parser = LuaParser()
  private let interrupts: PromptInterrupts
  private let watchdog: Watchdog
  private let board: PromptOutput
  private let clean: @Sendable (String) -> String
  /// Knows the secrets of the entries.
  private let cleaner: HistoryCleaner
  /// The names that the session begins with, and the source with which scripts define them.
  private(set) var names: [String: String] = [:]
  private(set) var entries: [SessionEntry] = []
  /// The source of the entries so far, by chunk name.
  private var sources: [String: [UInt8]] = [:]
  private let readFile: (String) -> [UInt8]?
  /// The reference of everything that scripts can use.
  private(set) lazy var catalogue = Catalogue(interpreter.surface, commands: commands)
  /// The commands of luath, which `.help` explains.
  private let commands: [Command]
  var columns = 80
  /// Whether the state is that of a paused script, which goes on after the session.
  private var isPause: Bool { spot != nil }
  private let spot: PauseSpot?
  /// The names of the paused script's variables, in order.
  private(set) var variables: [String] = []

  init(
    _ interpreter: Interpreter, interrupts: PromptInterrupts, board: PromptOutput,
    at spot: PauseSpot? = nil, commands: [Command] = [],
    clean: @escaping @Sendable (String) -> String,
    readFile: @escaping (String) -> [UInt8]?
  ) {
    self.interpreter = interpreter
    self.spot = spot
    self.commands = commands
    self.interrupts = interrupts
    watchdog = Watchdog(interpreter, patience: PromptInterrupts.patience)
    self.board = board
    self.clean = clean
    cleaner = HistoryCleaner(clean: clean)
    self.readFile = readFile
    interrupts.use(watchdog)
    interpreter.onStop = { [interrupts] in interrupts.wakeReader() }
  }

  /// Starts the session and defines its first names.
  ///
  /// - Parameter isShared: whether the user types at the terminal where scripts print.
  func begin(isShared: Bool) async throws(PromptProblem) {
    interpreter.provide(
      "luath.prompt.host",
      [
        ("write", { [board] in Self.pass($0, board.write) }),
        ("note", { [board] in Self.pass($0, board.note) }),
        ("help", { [unowned self] in Self.pass($0, explain) }),
        ("apropos", { [unowned self] in Self.pass($0, search) }),
      ])
    if !isPause { interpreter.look(in: ".", for: "prompt") }
    let arguments: [JSON] =
      isPause ? spot?.number.map { [.integer(Int64($0))] } ?? [] : [.bool(isShared)]
    switch await interpreter.call(Self.module, isPause ? "enter" : "install", arguments) {
    case .returned(let answer):
      let names = isPause ? answer["sources"] : answer
      for (name, source) in names?.object?.entries ?? [] { self.names[name] = source.string }
      variables = answer["variables"]?.array?.compactMap(\.string) ?? []
    case .failed(let failure): throw PromptProblem(failure.message, hint: failure.hint)
    default: throw PromptProblem("the session does not begin")
    }
  }

  private static func pass(_ arguments: [JSON], _ body: (String) -> Void) -> JSON {
    body(arguments.first?.string ?? "")
    return .null
  }

  // MARK: Entries

  var number: Int { entries.last?.number ?? 0 }

  /// Runs an entry and returns its output.
  ///
  /// - Parameters:
  ///   - name: the path of its file; nil when it was typed.
  ///   - isWhole: whether long results are returned in full.
  func run(
    _ text: String, from name: String? = nil, isWhole: Bool = false
  ) async -> Ending {
    let finding = parser.find(text)
    var entry = SessionEntry(
      number: number + 1, text: text, file: name, isExpression: finding == .expression)
    let chunk = name ?? "[\(entry.number)]"
    if let name, let slash = name.lastIndex(of: "/") {
      // As for any script, modules beside the file can be required.
      interpreter.look(in: slash == name.startIndex ? "/" : String(name[..<slash]), for: name)
    }
    sources[chunk] = Array(text.utf8)
    cleaner.learn(text)
    board.begin(entry.number)
    let source =
      switch finding {
      // Compiled again in the session, so that Lua's message has the entry's name.
      case .wrong, .incomplete: SessionText(uncompiled: text)
      case .expression, .statements:
        SessionText(text, isExpression: finding == .expression, known: variables(among:))
      }
    let spec: JSON = [
      "source": .string(source.source), "chunk": .string("=\(chunk)"),
      "number": .integer(Int64(entry.number)), "names": source.facts["names"] ?? [],
      "kept": source.facts["kept"] ?? [],
      "isExpression": .bool(finding == .expression), "columns": .integer(Int64(columns)),
      "isWhole": .bool(isWhole),
      // A call may return another fraction the next time.
      "isComputed": .bool(text.contains { "(\"'{[".contains($0) }),
    ]
    var answer: SessionCall
    if finding == .expression || finding == .statements,
      let mistake = interpreter.mistake(inEntry: text, chunk, known: knownNames)
    {
      answer = .failed(mistake)
    } else {
      answer = await call("run", [spec])
    }
    if case .failed(let failure) = answer, name == nil {
      answer = .failed(interpreter.explained(failure, of: text))
    }
    if case .returned(let facts) = answer {
      entry.isGood = true
      entry.expected =
        facts["expected"]?.array?.map {
          SessionEntry.Expected(
            source: $0["source"]?.string ?? "expect.any.value",
            isExact: $0["isExact"]?.bool ?? false)
        } ?? []
    }
    if case .failed(let failure) = answer { entry.code = failure.code }
    entries.append(entry)
    // A position in a typed entry is not printed, one in a file is.
    return await ending(of: answer, name == nil ? chunk : "")
  }

  /// The result of a task that stopped the state while no call was running; nil when none did.
  func stoppedMeanwhile() async -> Ending? {
    guard interpreter.isStopped else { return nil }
    return await ending(of: await call("known", [.array([])]), "")
  }

  /// The last results in full; no text when there are none.
  func wholeResult() async -> Ending {
    await ending(of: await call("whole", [.integer(Int64(columns))]), "")
  }

  /// The entries of this session by number, without their secrets.
  var history: [(number: String, text: String)] {
    entries.map { entry in
      let text = entry.file.map { ".load \($0)" } ?? cleaner(entry.text) ?? ""
      return ("\(entry.number)", text)
    }
  }

  /// Explains the value or the documentation of a name.
  func explain(path name: String) async -> Ending {
    let path = name.split { $0 == "." || $0 == ":" }.map { JSON.string(String($0)) }
    return await ending(of: await call("explain", [.array(path), .string(name)]), "help")
  }

  /// Whether the session itself has defined a variable of this name.
  func has(_ name: String) -> Bool {
    let path: JSON = .array([.string(name)])
    return (try? interpreter.ask("luath.prompt.complete", "own", [path]))?.string != nil
  }

  /// The variables and globals of the session, with the results that it may not have yet.
  private var knownNames: Set<String> {
    let found = try? interpreter.ask("luath.prompt.complete", "names", [.string("")])
    let results = (1...max(number, 1)).map { "_\($0)" }
    return Set((found?["names"]?.array ?? []).compactMap(\.string) + ["_", "_err"] + results)
  }

  /// The names that are local variables of the session; the value is true for constants.
  private func variables(among names: [String]) -> [String: Bool] {
    let asked = JSON.array(names.map(JSON.string))
    guard let known = try? interpreter.ask(Self.module, "known", [asked]).object else { return [:] }
    return known.entries.reduce(into: [:]) { $0[$1.key] = $1.value.bool ?? false }
  }

  /// Calls a function of the session's module; Ctrl-C interrupts it.
  private func call(_ function: String, _ arguments: [JSON]) async -> SessionCall {
    // An interruption that arrived while no call was running is not meant for this call.
    interpreter.forgetInterruption()
    let answer = await interrupts.call { await interpreter.call(Self.module, function, arguments) }
    interpreter.forgetInterruption()
    return answer
  }

  private func ending(of call: SessionCall, _ chunk: String) async -> Ending {
    switch call {
    case .returned(let answer):
      return .shown(answer["texts"]?.array?.compactMap(\.string) ?? [])
    case .failed(let failure):
      await interpreter.passFailure(to: Self.module, "failed")
      return .failed(words(failure, chunk))
    case .cancelled: return .failed("interrupted\n")
    case .timedOut: return .failed("the time is over\n")
    case .stopped(.exited(let status), _):
      interpreter.revive()
      return .left(status)
    case .stopped(let outcome, _):
      let tasks = isPause ? 0 : interpreter.openTasks
      interpreter.revive()
      let lost = tasks > 1 ? "; tasks that were open have ended too" : ""
      if case .stopped(.memory) = outcome {
        return .failed("stopped: it took more memory than --memory allows\(lost)\n")
      }
      return .failed("interrupted\(lost)\n")
    }
  }

  func words(_ failure: ScriptFailure, _ chunk: String = "") -> String {
    let text = PromptFailureText { [sources, readFile, cleaner] name in
      (sources[name] ?? readFile(name)).map(cleaner.shown)
    }
    return cleaner.withoutGiven(text.words(failure, chunk: chunk))
  }

  // MARK: Help

  /// Prints the help for a name, or the list of commands for an empty one.
  private func explain(_ name: String) {
    guard !name.isEmpty else { return board.write(PromptCommand.overview(isPause: isPause)) }
    let style = HelpStyle(columns: columns)
    // One or two letters would match half of the summaries.
    let text =
      catalogue.help(for: name, style) ?? (name.count > 2 ? catalogue.apropos(name, style) : nil)
    board.write(text ?? "nothing is called or mentions \(name.printable)\n")
  }

  private func search(_ words: String) {
    let style = HelpStyle(columns: columns)
    board.write(
      catalogue.apropos(words, style) ?? "nothing mentions \(words.printable)\n")
  }

  // MARK: The place

  /// The test users of the emulator's identity providers.
  func people() async throws(PromptProblem) -> [JSON] {
    switch await call("people", []) {
    case .returned(let people): return people.array ?? []
    case .failed(let failure) where failure.code == "emulatorRefused":
      throw PromptProblem("this emulator has no list of its test users")
    case .failed(let failure): throw PromptProblem(failure.message, hint: failure.hint)
    case let answer:
      guard case .failed(let words) = await ending(of: answer, "") else { return [] }
      throw PromptProblem(words.trimmed)
    }
  }

  // MARK: Files

  /// The session as a journey; nil when no entry belongs in one.
  func journey(named name: String) -> String? {
    JourneyText(entries: entries, names: names, clean: clean).text(named: name)
  }

  /// The session as a script, and the environment variables from which it reads secrets.
  var script: (text: String, variables: [String]) {
    ScriptText(entries: entries, names: names, clean: clean) { [parser] in
      parser.isStatement($0)
    }.text
  }

  /// The entries behind one as lines of a journey; nil when none of them belongs in it.
  ///
  /// - Parameter known: The names that are defined where the lines will be.
  func lines(after number: Int, knowing known: Set<String>) -> String? {
    let later = entries.filter { $0.number > number }
    return JourneyText(entries: later, names: names, clean: clean).body(knowing: known)
  }

  /// The source of a file, or of an entry; nil when it cannot be read.
  func source(of name: String) -> ShownSource? {
    readFile(name).map { ShownSource($0, clean: clean) }
  }

  /// Closes `<close>` variables, and ends the state unless a paused script goes on in it.
  func end() async {
    if case .returned(let problems) = await call("close", []) {
      for problem in problems.array?.compactMap(\.string) ?? [] {
        board.note("error in a <close> variable: \(problem)\n")
      }
    }
    if isPause {
      _ = await interpreter.call(Self.module, "leave")
    } else {
      _ = await interpreter.sweep(within: .seconds(1), isLast: true)
    }
    interrupts.use(nil)
    if !isPause { interpreter.close() }
    await watchdog.release()
  }
}
