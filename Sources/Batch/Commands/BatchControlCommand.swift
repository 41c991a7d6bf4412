import System
import Host

/// `luath batch ctl`: sends commands to a running batch on this machine or in a shared journal.
enum BatchControlCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch ctl",
    summary: "Pauses, resumes or ends a run, or changes its rate or concurrency.",
    operands: "PLAN pause|resume|drain|rate=N|rate=off|concurrency=N|status",
    options: BatchRunOptions.journalOptions + [BatchRunOptions.queueOption],
    examples: [
      "luath batch ctl rows.plan.ndjson rate=50", "luath batch ctl rows.plan.ndjson pause",
      "luath batch ctl rows.plan.ndjson status",
      "luath batch ctl rows.plan.ndjson drain --queue postgres://batch@db.internal/luath",
    ],
    note: "rate=N is in calls per second; drain lets rows that have begun end.",
    exits: [
      .ok: "the run received the command", .notLoaded: BatchSubject.unloadable,
      .unavailable: "no run listens, or the journal cannot be used",
    ])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard arguments.operands.count >= 2 else {
      throw UsageError(
        "luath batch ctl takes a plan and what to do",
        hint: "luath batch ctl PLAN status, or pause, resume, drain, rate=200, concurrency=32")
    }
    let words = arguments.operands.dropFirst()
    for word in words where word != "status" && BatchControl(word) == nil {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0] == "rate" || parts[0] == "concurrency" {
        let range =
          parts[0] == "rate"
          ? "calls a second from 0.01 to 1000000, or off" : "a number of calls from 1 to 10000"
        throw UsageError("\(parts[0]) takes \(range), not '\(String(parts[1]).printable)'")
      }
      throw UsageError(
        "'\(word.printable)' is nothing that a run understands",
        hint: "pause, resume, drain, rate=200, rate=off, concurrency=32 or status")
    }
    if let queue = try BatchRunCommand.queue(arguments, console) {
      return try await tell(words, queue, arguments, console)
    }
    let journal =
      arguments.values["journal"].map(console.whole) ?? path(of: arguments.operands[0], console)
    do throws(BatchProblem) {
      var answer = ""
      for word in words {
        answer = try ControlSocket.ask(word, at: "\(journal).sock")
        if word == "resume" { warn(ifHeld: answer, console) }
      }
      console.writeOutput(answer + "\n")
      return .code(.ok)
    } catch {
      return CommandFailure(error).report(console)
    }
  }

  /// Warns if a run is still held after `resume`, by another cause than `pause`.
  private static func warn(ifHeld answer: String, _ console: Console) {
    let cause = (try? JSON.parse(answer))?["heldBy"]?.string.flatMap { PaceHold(rawValue: $0) }
    guard let cause, cause != .user else { return }
    console.warn(
      "resume has no effect now: the run is \(cause.words)",
      hint: cause == .paceURL
        ? "it continues when the address allows it; without --pace-url the next run continues at once"
        : "it continues at that time; with another --rate the next run continues at once")
  }

  /// Sends commands to all processes of a shared journal, on any machine.
  private static func tell(
    _ words: ArraySlice<String>, _ queue: Secret, _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let controls = words.compactMap { BatchControl($0) }
    do throws(BatchProblem) {
      let file = arguments.values["journal-key"].map(console.whole)
      let key = try file.map { path throws(BatchProblem) in try JournalKey.read(path) }
      let journal = try await PostgresJournal.open(url: queue, key: key, plan: nil)
      let result: Result<JSON, BatchProblem>
      do throws(BatchProblem) {
        for control in controls { try await journal.send(control) }
        let told = JSON.array(words.map(JSON.string))
        // Print the response to the last word, as for a run on this machine.
        let isAsked = words.last == "status"
        result = .success(isAsked ? try await status(of: journal) : .object(["told": told]))
      } catch {
        result = .failure(error)
      }
      await journal.close()
      console.writeOutput(try result.get().encoded() + "\n")
      return .code(.ok)
    } catch {
      return CommandFailure(error).report(console)
    }
  }

  /// The status of the last run as in `luath batch status --json`, with the shared rate limit and pause.
  private static func status(of journal: PostgresJournal) async throws(BatchProblem) -> JSON {
    let runs = try await journal.runs()
    guard let run = runs.last else { return .object([:]) }
    let summary = try await JournalSummary(run, of: journal)
    let pace = try await journal.pace()
    var object = summary.json(among: runs, try await journal.sessions()).object ?? [:]
    object["state"] = .string(pace.state(of: summary))
    object["limit"] = pace.rate.map(JSON.number) ?? .null
    return .object(object)
  }

  /// The journal's path; the operand may be the plan or the journal itself.
  private static func path(of operand: String, _ console: Console) -> String {
    let whole = console.whole(operand)
    return whole.hasSuffix(".journal") ? whole : SQLiteJournal.path(ofPlan: whole)
  }
}
