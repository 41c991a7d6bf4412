import Batch
import Encoding
import Scripting

/// `luath batch ctl`: tells a run on this machine what to do, while it goes on.
enum BatchControlCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch ctl", summary: "Pauses a run that goes on, ends it or changes its pace.",
    operands: "PLAN pause|resume|drain|rate=N|rate=off|concurrency=N|status",
    options: BatchRunOptions.journalOptions + [BatchRunOptions.queueOption],
    examples: [
      "luath batch ctl plan.ndjson rate=50", "luath batch ctl plan.ndjson pause",
      "luath batch ctl plan.ndjson status",
      "luath batch ctl plan.ndjson drain --queue postgres://batch@db.internal/luath",
    ])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard arguments.operands.count >= 2, arguments.rest.isEmpty else {
      throw UsageError(
        "luath batch ctl takes a plan and what to do",
        hint: "luath batch ctl PLAN status, or pause, resume, drain, rate=200, concurrency=32")
    }
    let words = arguments.operands.dropFirst()
    for word in words where word != "status" && BatchControl(word) == nil {
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
      for word in words { answer = try ControlSocket.ask(word, at: "\(journal).sock") }
      console.writeOutput(answer + "\n")
      return .code(.ok)
    } catch {
      return CommandFailure(error).report(console)
    }
  }

  /// Tells all who work on a record that machines share, wherever they are.
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
        // The last word's answer, as of a run on this machine.
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

  /// How far all have come with the last run, as `luath batch status --json` tells it.
  private static func status(of journal: PostgresJournal) async throws(BatchProblem) -> JSON {
    guard let run = try await journal.runs().last else { return .object([:]) }
    return try await JournalSummary(run, of: journal).json
  }

  /// The journal itself may be given as well.
  private static func path(of operand: String, _ console: Console) -> String {
    let whole = console.whole(operand)
    return whole.hasSuffix(".journal") ? whole : SQLiteJournal.path(ofPlan: whole)
  }
}
