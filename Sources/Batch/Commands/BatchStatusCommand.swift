import System
import Glibc
import Host

/// `luath batch status`: prints the progress of a plan's runs, also during a run.
enum BatchStatusCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch status",
    summary: "Shows how far the runs of a plan are, and why rows failed.",
    operands: "PLAN|JOURNAL",
    options: BatchSubject.options + [Option("json", nil, "print one line of JSON")],
    examples: [
      "luath batch status rows.plan.ndjson", "luath batch status rows.plan.ndjson --json",
    ],
    exits: [
      .ok: "the progress was printed, also that of an interrupted run",
      .notLoaded: BatchSubject.unloadable, .unavailable: BatchSubject.unavailable,
      .nothing: "the journal has no run",
    ])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let subject = try BatchSubject(arguments, console, "luath batch status")
    let isJSON = arguments.flags.contains("json")
    return await BatchSubject.report(console) { () async throws(BatchProblem) in
      do throws(BatchProblem) {
        if let status = try ask("status", subject, console) {
          let counted = try await counted(status, subject)
          return .success(report(running: counted, subject, isJSON, console))
        }
      } catch {
        return .success(try report(stopped: error, subject, isJSON, console))
      }
      let parts = subject.parts
      if !subject.isShared, parts.isEmpty, access(subject.path, F_OK) != 0 {
        try subject.requireNoQueue()
      }
      guard subject.isShared || access(subject.path, F_OK) == 0 else {
        return .success(
          try await parts.isEmpty
            ? reportPlan(subject, isJSON, console)
            : BatchPartsStatus(parts, subject, arguments, console).report(isJSON))
      }
      if let part = parts.first {
        console.warn(
          "the plan was also run in parts, which have their own journals",
          hint: "luath batch status \(ShellWord.quoted(part.name)) shows the first of them")
      }
      if let marker = try subject.marker {
        console.warn(
          "the plan was also run with a queue, which has its own record",
          hint:
            "luath batch status \(subject.shown) --queue \(ShellWord.quoted(marker.url)) shows it")
      }
      return .success(
        try await subject.use { (journal) async throws(BatchProblem) in
          try await report(journal, subject, isJSON, console)
        })
    }
  }

  /// The response of a run in progress on this machine; nil when there is none.
  ///
  /// - Throws: If the run's process does not respond: its journal file is locked and cannot be read. A shared journal
  ///   can still be read, so then there is only a warning.
  private static func ask(
    _ line: String, _ subject: BatchSubject, _ console: Console
  ) throws(BatchProblem) -> JSON? {
    do throws(BatchProblem) {
      let answer = try ControlSocket.ask(line, at: subject.socketPath, patience: 1)
      return try? JSON.parse(answer)
    } catch {
      guard error.code == .inUse else { return nil }
      guard subject.isShared else { throw error }
      console.warn(error.message.printable, hint: error.hint)
      return nil
    }
  }

  // MARK: While it runs

  /// The response with the counts of now: a process counts what others do only at intervals.
  private static func counted(
    _ status: JSON, _ subject: BatchSubject
  ) async throws(BatchProblem) -> JSON {
    guard subject.isShared, status["journalAway"] == nil, var object = status.object else {
      return status
    }
    let tally = try await subject.use { (journal) async throws(BatchProblem) -> BatchTally? in
      let number = status["run"]?.integer
      guard let run = try await journal.runs().first(where: { $0.number == number }) else {
        return nil
      }
      return try await journal.tally(run)
    }
    guard let tally else { return status }
    (object["rows"], object["steps"]) = (tally.rowsJSON, tally.stepsJSON)
    return .object(object)
  }

  private static func report(
    running status: JSON, _ subject: BatchSubject, _ isJSON: Bool, _ console: Console
  ) -> ExitStatus {
    if isJSON {
      console.writeOutput(status.encoded() + "\n")
      return .code(.ok)
    }
    func number(_ group: String, _ name: String) -> Int64 {
      status[group]?[name]?.integer ?? 0
    }
    let left = number("rows", "waiting") + number("rows", "claimed")
    let done = number("rows", "done")
    let failed = number("rows", "failed")
    let halves = number("rows", "halfDone")
    let hold = status["heldBy"]?.string.flatMap { PaceHold(rawValue: $0) }
    var text = "it is running: \(hold?.words ?? status["state"]?.string ?? "running")\n"
    let ended = done + failed + halves
    text += "  rows: \(ended) of \(ended + left), \(done) done, \(failed) failed"
    text += halves > 0 ? ", \(halves) half done\n" : "\n"
    let calls = status["inFlight"]?.integer ?? 0
    // The rate from before a pause or an outage does not apply now.
    // The row counts are of all processes, but the rate and calls are of the process that responded.
    let whose = subject.isShared ? " by the process that listens here" : ""
    text +=
      status["state"] == "paused" || status["journalAway"] != nil
      ? "  calls under way\(whose): \(calls)\n"
      : "  rate: \(one(status["rate"])) steps a second, \(calls) \(calls == 1 ? "call" : "calls") under way"
        + "\(whose)\n"
    if let away = status["journalAway"], let since = away["since"]?.string {
      text += "  the journal cannot be reached since \(since), and is tried until "
      text += "\(away["until"]?.string ?? "later")\n"
    }
    if let limit = status["learnedLimit"], !limit.isNull {
      text += "  throttled to \(one(limit)) calls a second\n"
    }
    if let seconds = status["secondsLeft"].flatMap(double) {
      text += "  left: \(BatchDisplay.time(seconds))\n"
    }
    if failed + halves > 0, let answer = try? ControlSocket.ask("causes", at: subject.socketPath),
      let causes = try? JSON.parse(answer).array
    {
      text += causes.compactMap { $0.string.map { "    \($0.printable)\n" } }.joined()
    }
    let next = hold == .user ? "resume" : "pause"
    text += "next: luath batch ctl \(subject.shown) \(next), drain or rate=N\n"
    console.writeOutput(text)
    return .code(.ok)
  }

  private static func double(_ json: JSON) -> Double? {
    switch json {
    case .number(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  private static func one(_ json: JSON?) -> String {
    json.flatMap(double).map { "\(($0 * 10).rounded() / 10)" } ?? "0"
  }

  /// Reports from the journal of a suspended process.
  private static func report(
    stopped problem: BatchProblem, _ subject: BatchSubject, _ isJSON: Bool, _ console: Console
  ) throws(BatchProblem) -> ExitStatus {
    guard let found = try? SQLiteJournal.look(atStopped: subject.path) else { throw problem }
    let runs = found.map { JournalSummary($0.run, $0.tally) }
    console.warn(problem.message.printable, hint: problem.hint)
    console.writeOutput(
      isJSON
        ? JSON.object(["runs": .array(runs.map { $0.json(among: found.map(\.run)) })]).encoded()
          + "\n"
        : runs.map { "\($0.run.title(among: found.map(\.run)))\n\($0.text)" }.joined())
    return .code(.ok)
  }

  // MARK: Before and after

  private static func reportPlan(
    _ subject: BatchSubject, _ isJSON: Bool, _ console: Console
  ) throws(BatchProblem) -> ExitStatus {
    guard !subject.name.hasSuffix(".journal") else {
      throw BatchProblem(
        .usage, "there is no journal \(subject.name.printable)",
        hint: "check the path; it starts from \(console.folder)")
    }
    let counts = try PlanReader(path: console.whole(subject.name)).check().counts
    if isJSON {
      console.writeOutput("{\"runs\":[],\"rows\":\(counts.rows),\"run\":\(counts.run)}\n")
    } else {
      console.writeOutput(
        "not run yet: \(BatchDisplay.rows(counts.run)) to run, \(counts.skip) to skip, "
          + "\(counts.refused) refused\n"
          + "next: luath batch run \(subject.shown) --execute\n")
    }
    return .code(.ok)
  }

  private static func report(
    _ journal: any BatchJournal, _ subject: BatchSubject, _ isJSON: Bool, _ console: Console
  ) async throws(BatchProblem) -> ExitStatus {
    let runs = try await journal.runs()
    var summaries: [JournalSummary] = []
    for run in runs where subject.number.map({ $0 == run.number }) ?? true {
      summaries.append(try await JournalSummary(run, of: journal))
    }
    guard let last = summaries.last else {
      _ = try await subject.run(of: journal); return .code(.nothing)
    }
    let pace = try await (journal as? PostgresJournal)?.pace()
    let sessions = try await journal.sessions()
    if isJSON {
      var list: [JSON] = []
      for summary in summaries {
        var object = summary.json(among: runs, sessions).object ?? [:]
        let undone = try await journal.undoneRows(of: summary.run).count
        if undone > 0 { object["undoneRows"] = .integer(Int64(undone)) }
        list.append(.object(object))
      }
      var object: JSONObject = ["runs": .array(list)]
      object["state"] = pace.map { .string($0.state(of: last)) }
      if let pace { object["limit"] = pace.rate.map(JSON.number) ?? .null }
      console.writeOutput(JSON.object(object).encoded() + "\n")
      return .code(.ok)
    }
    let header = journal.header
    var text =
      "plan of \(header.script.printable) from \(header.input.printable), made \(header.made), for "
      + "project \(header.projectID.printable)\n"
    if let tenant = header.tenantID { text += "tenant: \(tenant.printable)\n" }
    if let arguments = header.scope.shown { text += "arguments: \(arguments)\n" }
    for summary in summaries {
      text += "\(summary.run.title(among: runs))\n\(summary.text)"
      let undone =
        runs.undo(of: summary.run) == nil ? try await journal.undoneRows(of: summary.run).count : 0
      if undone > 0 {
        text +=
          "  of these \(BatchDisplay.rows(Int64(undone))) \(undone == 1 ? "is" : "are") undone now\n"
      }
      for session in sessions where session.run == summary.run.number {
        text += "  begun \(session.text)\n"
      }
    }
    if let pace {
      text += "all processes: \(pace.state(of: last))"
      text += pace.rate.map { ", at most \(one(.number($0))) calls a second together" } ?? ""
      text += "\n"
    }
    // After an undo of some rows, the run itself goes on with the rows that it has left.
    var idle = last
    if last.left == 0, last.run.kind == .undoRows,
      let run = summaries.first(where: { $0.run.number == last.run.of }), run.left > 0,
      runs.undo(of: run.run) == nil
    {
      idle = run
    }
    let next = BatchNextStep(
      after: idle.run, of: subject.shown, target: "", isOnly: runs.count == 1,
      again: subject.command(idle.run))
    console.writeOutput(
      text
        + next.words(
          left: idle.left, held: subject.isShared ? idle.tally.rows[.claimed] ?? 0 : 0, idle.tally,
          idle.failures))
    return .code(.ok)
  }
}

extension JournalSummary {
  /// The summary as a JSON object for programs.
  ///
  /// - Parameters:
  ///   - runs: All runs of the journal, to find the undo of this one.
  ///   - sessions: Who has worked on them.
  func json(among runs: [BatchRun], _ sessions: [BatchSession] = []) -> JSON {
    var object: JSONObject = ["run": .integer(run.number), "kind": .string(run.kind.rawValue)]
    object["of"] = run.of.map(JSON.integer)
    object["undoneBy"] = runs.undo(of: run).map { .integer($0.number) }
    object["rows"] = tally.rowsJSON
    object["steps"] = tally.stepsJSON
    object["sessions"] = .array(sessions.filter { $0.run == run.number }.map(\.json))
    object["causes"] = .array(
      (halves.list + failures.list).map { code, group in
        [
          "code": .string(code), "rows": .integer(group.count), "example": .string(group.example),
          "first": .array(group.rows.map(JSON.integer)),
        ]
      })
    return .object(object)
  }
}

extension BatchRun {
  /// The run's description, with the number of the run that undid it.
  fileprivate func title(among runs: [BatchRun]) -> String {
    if let undo = runs.undo(of: self) { return "\(title), undone by run \(undo.number)" }
    let undone = runs.undone
    let parts = runs.filter {
      $0.kind == .undoRows && $0.of == number && !undone.contains($0.number)
    }
    guard !parts.isEmpty else { return title }
    return "\(title), rows of it undone by run "
      + parts.map { "\($0.number)" }.joined(separator: ", ")
  }
}

extension PostgresSharedRate {
  /// The state of a shared run, in one word.
  func state(of summary: JournalSummary) -> String {
    if summary.left == 0 { return "ended" }
    if isPaused { return "paused" }
    return summary.tally.rows[.claimed] ?? 0 > 0 ? "running" : "waiting"
  }
}
