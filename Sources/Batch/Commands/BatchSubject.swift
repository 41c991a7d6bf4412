import System
import Glibc
import HTTP
import Host

/// The journal that a command works on, given by the plan's path or its own.
struct BatchSubject: Sendable {
  /// The options that select the journal and the run.
  static let options =
    BatchRunOptions.journalOptions + [
      BatchRunOptions.queueOption,
      Option(
        "run", "N", "a run of the journal, by the number that status shows", default: "the last run"
      ),
    ]

  /// When a command exits with 3 and 4 because of a plan or journal.
  static let unloadable = "the plan or the journal does not load, or is damaged"
  static let unavailable = "the journal or a file cannot be used"

  let console: Console
  /// The plan or journal argument, unquoted.
  let name: String
  let path: String
  /// The target options of the command line, for suggested commands.
  let target: String
  private let planPath: String
  private let keyFile: String?
  private let queue: Secret?
  private let kept: KeptFiles
  /// The value of `--run`.
  let number: Int64?

  init(
    _ arguments: ParsedArguments, _ console: Console, _ command: String, operands: Int = 1
  ) throws(UsageError) {
    guard let operand = arguments.operands.first, !operand.isEmpty,
      arguments.operands.count == operands
    else {
      throw UsageError(
        operands == 1
          ? "\(command) takes a plan or its journal: \(command) PLAN"
          : "\(command) takes a plan or its journal, and a row: \(command) PLAN ROW")
    }
    self.console = console
    name = operand
    shown = Self.shown(operand, arguments)
    target = Self.target(arguments)
    planPath = console.whole(operand)
    path =
      arguments.values["journal"].map(console.whole)
      ?? (planPath.hasSuffix(".journal") ? planPath : SQLiteJournal.path(ofPlan: planPath))
    queue = try BatchRunCommand.queue(arguments, console)
    keyFile = arguments.values["journal-key"].map(console.whole)
    var kept = KeptFiles(arguments, console)
    kept.add(subject: operand)
    self.kept = kept
    number = try Quantity.count(arguments.values["run"], "--run", 1...Int(Int32.max)).map(
      Int64.init)
  }

  /// The files that an output of the command must not overwrite.
  func kept(_ header: PlanHeader) -> KeptFiles {
    var kept = kept
    kept.add(header)
    return kept
  }

  /// Whether the journal is shared by several machines.
  var isShared: Bool { queue != nil }

  /// The path of the control socket of a run on this machine.
  var socketPath: String { "\(path).sock" }

  /// The plan or journal quoted for a shell, with the options that select the journal.
  let shown: String

  /// The plan's parts; empty if the argument is a journal, or an option selects another one.
  var parts: [BatchParts] {
    guard queue == nil, path == SQLiteJournal.path(ofPlan: planPath) else { return [] }
    return BatchParts.beside(SQLiteJournal.path(ofPlan: name), console)
  }

  /// Whether a journal exists; always true for a shared journal, which is not checked here.
  var hasJournal: Bool {
    queue != nil || access(path, F_OK) == 0 || name.hasSuffix(".journal")
      || access(QueueMarker.path(ofPlan: planPath), F_OK) == 0
  }

  /// The queue that the plan was run with, as its marker says; nil if the argument is a journal, or an option selects
  /// one.
  var marker: QueueMarker? {
    get throws(BatchProblem) {
      guard queue == nil, path == SQLiteJournal.path(ofPlan: planPath), path != planPath else {
        return nil
      }
      return try QueueMarker.read(ofPlan: name, console)
    }
  }

  /// Throws if the plan was run with a queue, which the command needs then.
  func requireNoQueue() throws(BatchProblem) {
    guard let marker = try marker else { return }
    throw BatchProblem(
      .usage, "\(name.printable) was run with --queue, and has no journal here",
      hint:
        "give the same command with --queue \(ShellWord.quoted(marker.url)), or with the variable that holds the address"
    )
  }

  /// Opens an existing journal.
  func open() async throws(BatchProblem) -> any BatchJournal {
    guard queue != nil || access(path, F_OK) == 0 else {
      if let first = parts.first { throw BatchParts.problem(name, parts, first) }
      try requireNoQueue()
      throw BatchProblem(
        .usage, "\(name.printable) has no journal: it has not been run yet",
        hint: "luath batch run \(shown) --execute, or name the journal with --journal")
    }
    let key = try keyFile.map { path throws(BatchProblem) in try JournalKey.read(path) }
    if let warning = key?.warning { console.warn(warning, hint: Self.privacy) }
    let journal: any BatchJournal =
      if let queue {
        try await PostgresJournal.open(url: queue, key: key, plan: nil)
      } else {
        try await Self.open(path, key, plan: nil, shown, console)
      }
    do throws(BatchProblem) {
      try requirePlan(of: journal)
      return journal
    } catch {
      await journal.close()
      throw error
    }
  }

  /// Throws if the named plan is there and is not the journal's; a plan that is gone or edited says nothing.
  private func requirePlan(of journal: any BatchJournal) throws(BatchProblem) {
    guard !name.hasSuffix(".journal"), access(planPath, F_OK) == 0,
      let digest = try? PlanReader(path: planPath).check().digest, digest != journal.digest
    else { return }
    throw BatchProblem(
      .usage,
      "\(name.printable) is not the plan of this journal, which was made from the plan "
        + "\(journal.digest.prefix(12)) by \(journal.header.script.printable)",
      hint: queue == nil
        ? "name the journal instead of the plan, or the plan that it was made for"
        : "each plan has its own journal in the database: --queue URL#NAME")
  }

  /// The hint for a file that other users can read.
  static let privacy = "chmod 600 makes it its owner's alone, on a file system that keeps modes"

  /// Opens or creates a journal file, and warns if other users can read it.
  ///
  /// - Parameter shown: The plan or journal for suggested commands.
  static func open(
    _ path: String, _ key: JournalKey?, plan: JournalPlan?, _ shown: String, _ console: Console
  ) async throws(BatchProblem) -> SQLiteJournal {
    let journal: SQLiteJournal
    do throws(BatchProblem) {
      journal = try await SQLiteJournal.open(path: path, key: key, plan: plan)
    } catch {
      guard error.code == .inUse else { throw error }
      throw BatchProblem(
        .inUse, error.message,
        hint:
          "luath batch status \(shown) shows its progress, luath batch ctl \(shown) drain ends it; "
          + "then the same command works")
    }
    if let warning = journal.warning { console.warn(warning, hint: privacy) }
    return journal
  }

  /// Opens the journal, passes it to `body`, and closes it.
  func use<Value: Sendable>(
    _ body: (any BatchJournal) async throws(BatchProblem) -> Value
  ) async throws(BatchProblem) -> Value {
    let journal = try await open()
    let result: Result<Value, BatchProblem>
    do throws(BatchProblem) {
      result = .success(try await body(journal))
    } catch {
      result = .failure(error)
    }
    await journal.close()
    return try result.get()
  }

  /// The requested run, or else the last one for which `isMeant` is true.
  func run(
    of journal: any BatchJournal, where isMeant: (BatchRun) -> Bool = { _ in true }
  ) async throws(BatchProblem) -> BatchRun {
    let runs = try await journal.runs()
    guard let number else {
      guard let run = runs.last(where: isMeant) else {
        throw BatchProblem(
          .usage, "the journal has no such run", hint: "luath batch status \(shown) lists them")
      }
      return run
    }
    guard let run = runs.first(where: { $0.number == number }) else {
      throw BatchProblem(
        .usage, "the journal has no run \(number): it has \(runs.count)",
        hint: "luath batch status \(shown) lists them")
    }
    return run
  }

  /// The requested run, or else the last one with rows in one of the states, or else the last one.
  func run(
    of journal: any BatchJournal, with states: Set<RowState>
  ) async throws(BatchProblem) -> BatchRun {
    if number == nil {
      for run in try await journal.runs().reversed() {
        let rows = try await journal.tally(run).rows
        if states.contains(where: { rows[$0] ?? 0 > 0 }) { return run }
      }
    }
    return try await run(of: journal)
  }

  /// A plan or journal quoted for a shell, with the options that select the journal.
  static func shown(_ name: String, _ arguments: ParsedArguments) -> String {
    var words = ShellWord.quoted(name)
    for option in ["journal", "journal-key", "queue"] {
      guard let value = arguments.values[option] else { continue }
      words += " --\(option) \(hasPassword(value) ? "URL" : ShellWord.quoted(value))"
    }
    return words
  }

  /// The options that select the target, each after a space.
  static func target(_ arguments: ParsedArguments) -> String {
    ["target", "config", "project"].map { name in
      arguments.values[name].map { " --\(name) \(ShellWord.quoted($0))" } ?? ""
    }.joined()
  }

  /// Whether the text is a database URL with a password, which must not be printed.
  private static func hasPassword(_ text: String) -> Bool {
    guard let start = text.firstRange(of: "://")?.upperBound else { return false }
    let rest = text[start...]
    let user = rest.lastIndex(of: "@").map { rest[..<$0] }
    return user?.contains(":") ?? false || rest.contains("password=")
  }

  /// The command that continues a run, ready to paste into a shell.
  func command(_ run: BatchRun) -> String {
    guard run.kind == .run, name.hasSuffix(".journal") else {
      return "luath batch \(run.kind.command) \(shown)\(target) --execute"
    }
    // For run 1, find the plan file that belongs to the journal.
    let base = String(name.dropLast(".journal".count))
    let part = BatchParts.part(base)
    for plan in ["\(part?.base ?? base).ndjson", part?.base ?? base]
    where access(console.whole(plan), F_OK) == 0 {
      let words = ShellWord.quoted(plan) + shown.dropFirst(ShellWord.quoted(name).count)
      let shard = part.map { " --shard \($0.words)" } ?? ""
      return "luath batch run \(words)\(shard)\(target) --execute"
    }
    return "luath batch run PLAN --journal \(shown)\(target) --execute"
  }
}

extension BatchSubject {
  /// Runs a command's work, and reports its error.
  static func report(
    _ console: Console,
    _ body: () async throws(BatchProblem) -> Result<ExitStatus, CommandFailure>
  ) async -> ExitStatus {
    do throws(BatchProblem) {
      return try await body().get(orReport: console)
    } catch {
      return CommandFailure(error).report(console)
    }
  }

  /// Passes `body` a function to look up accounts at a target, on a temporary event loop.
  static func withReader<Value: Sendable>(
    _ place: ResolvedTarget, tenantID: String?, _ console: Console, trace: Bool,
    _ body: (@escaping AccountLook) async throws(BatchProblem) -> Value
  ) async throws(BatchProblem) -> Value {
    let loop = try EventLoop.started("accounts") { BatchProblem($0) }
    defer { loop.stop() }
    let context = place.context(
      memory: 0, console, ProjectGuard(),
      trace: trace ? { @Sendable line in console.writeError("trace: \(line)\n") } : nil)
    let reader = AccountReader(on: loop) { (loop) throws(BatchProblem) in
      try BatchTarget.administrator(context, tenantID, loop)
    }
    return try await body { (uids) async throws(BatchProblem) in
      try await reader.images(of: uids)
    }
  }
}

extension Result where Success == ExitStatus, Failure == CommandFailure {
  fileprivate func get(orReport console: Console) -> ExitStatus {
    switch self {
    case .success(let status): status
    case .failure(let failure): failure.report(console)
    }
  }
}

extension BatchRun.Kind {
  /// The subcommand that begins and continues such a run.
  fileprivate var command: String { isUndo ? BatchRun.Kind.undo.rawValue : rawValue }
}
