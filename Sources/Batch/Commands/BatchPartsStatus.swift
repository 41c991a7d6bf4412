import System
import Host

/// The status of all parts of a plan that was run with `luath batch run --shard`.
struct BatchPartsStatus {
  private let parts: [BatchParts]
  private let subject: BatchSubject
  private let keyFile: String?
  private let console: Console

  init(
    _ parts: [BatchParts], _ subject: BatchSubject, _ arguments: ParsedArguments, _ console: Console
  ) {
    self.parts = parts
    self.subject = subject
    keyFile = arguments.values["journal-key"].map(console.whole)
    self.console = console
  }

  /// Prints a line for each part, the sums, and the next command.
  func report(_ isJSON: Bool) async throws(BatchProblem) -> ExitStatus {
    var rows: [RowState: Int64] = [:]
    var undone: Int64 = 0
    var lines = ""
    var list: [JSON] = []
    for part in parts {
      let found = try await state(of: part)
      // During an undo, the status shows the undo's rows, so leave them out of the plan's sums.
      if found.isOfPlan {
        for (state, count) in found.rows { rows[state, default: 0] += count }
      }
      undone += found.undone?.rows ?? 0
      lines += "  \(part.words): \(found.words)\n"
      var object: JSONObject = [
        "journal": .string(part.name), "shard": .string(part.words),
        "running": .bool(found.runs != nil), "rows": Self.json(found.rows),
      ]
      object["kind"] = found.runs.map(JSON.string)
      object["undone"] = found.undone.map { undone in
        [
          "by": .integer(undone.undo.number), "rows": .integer(undone.rows),
          "left": .integer(undone.open),
        ]
      }
      list.append(.object(object))
    }
    if isJSON {
      var object: JSONObject = ["rows": Self.json(rows)]
      if undone > 0 { object["undone"] = .integer(undone) }
      object["parts"] = .array(list)
      console.writeOutput(JSON.object(object).encoded() + "\n")
      return .code(.ok)
    }
    var text = "it is run in parts, each with a journal of its own:\n\(lines)"
    text += "together: \(Self.words(rows))\(undone > 0 ? ", \(undone) of them undone" : "")\n"
    for count in Set(parts.map(\.count)).sorted() {
      let there = Set(parts.filter { $0.count == count }.map(\.index))
      let missing = (1...count).lazy.filter { !there.contains($0) }.prefix(9)
      guard !missing.isEmpty else { continue }
      let names = missing.prefix(8).map { "\($0)/\(count)" }.joined(separator: ", ")
      text += "without a journal here: \(names)\(missing.count > 8 ? ", …" : "")\n"
    }
    text += "next: luath batch status \(ShellWord.quoted(parts[0].name)) tells more of a part, "
    text += "and so do export and verify\n"
    console.writeOutput(text)
    return .code(.ok)
  }

  /// The status of a part.
  private struct Found {
    var rows: [RowState: Int64] = [:]
    /// The kind of the run in progress, which the rows then belong to; nil if there is none.
    var runs: String?
    /// The undo of the part's run.
    var undone: BatchUndone?

    var isOfPlan: Bool { runs.map { $0 == BatchRun.Kind.run.rawValue } ?? true }

    var words: String {
      let words = BatchPartsStatus.words(rows)
      guard isOfPlan else { return "its \(runs ?? "") goes on now: \(words)" }
      guard let undone else { return words + (runs == nil ? "" : ", goes on now") }
      let open = undone.open > 0 ? ", which has \(undone.open) left" : ""
      return "\(words), \(undone.rows) of them undone by run \(undone.undo.number)\(open)"
    }
  }

  /// Reads the status of a part from its running process or its journal.
  private func state(of part: BatchParts) async throws(BatchProblem) -> Found {
    let path = console.whole(part.name)
    do throws(BatchProblem) {
      let text = try ControlSocket.ask("status", at: "\(path).sock", patience: 1)
      let answer = try? JSON.parse(text)
      let rows = RowState.allCases.map { ($0, answer?["rows"]?[$0.rawValue]?.integer ?? 0) }
      return Found(
        rows: Dictionary(rows) { $1 }, runs: answer?["kind"]?.string ?? BatchRun.Kind.run.rawValue)
    } catch {
      // A suspended process keeps its journal locked, so the journal cannot be read either.
      guard error.code != .inUse else { throw error }
    }
    let key = try keyFile.map { path throws(BatchProblem) in try JournalKey.read(path) }
    let journal = try await BatchSubject.open(
      path, key, plan: nil, ShellWord.quoted(part.name), console)
    let result: Result<Found, BatchProblem>
    do throws(BatchProblem) {
      var found = Found()
      if let run = try await journal.runs().first {
        found.rows = try await journal.tally(run).rows
        found.undone = try await BatchUndone(run, of: journal)
      }
      result = .success(found)
    } catch {
      result = .failure(error)
    }
    await journal.close()
    return try result.get()
  }

  private static func words(_ rows: [RowState: Int64]) -> String {
    let left = (rows[.waiting] ?? 0) + (rows[.claimed] ?? 0)
    var words = "\(BatchDisplay.rows(rows[.done] ?? 0)) done"
    if let failed = rows[.failed], failed > 0 { words += ", \(failed) failed" }
    return words + (left > 0 ? ", \(left) left" : "")
  }

  private static func json(_ rows: [RowState: Int64]) -> JSON {
    var object = JSONObject()
    for state in RowState.allCases { object[state.rawValue] = .integer(rows[state] ?? 0) }
    return .object(object)
  }
}
