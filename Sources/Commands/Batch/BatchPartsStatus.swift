import Batch
import Encoding
import Scripting

/// How far the parts of a plan have come that `luath batch run --shard` works on.
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

  /// Prints a line for each part, and what is to be done next.
  func report(_ isJSON: Bool) async throws(BatchProblem) -> ExitStatus {
    var rows: [RowState: Int64] = [:]
    var lines = ""
    var list: [JSON] = []
    for part in parts {
      let found = try await state(of: part)
      for (state, count) in found.rows { rows[state, default: 0] += count }
      let now = found.isRunning ? ", goes on now" : ""
      lines += "  \(part.words): \(Self.words(found.rows))\(now)\n"
      list.append([
        "journal": .string(part.name), "shard": .string(part.words),
        "running": .bool(found.isRunning), "rows": Self.json(found.rows),
      ])
    }
    if isJSON {
      console.writeOutput(
        JSON.object(["rows": Self.json(rows), "parts": .array(list)]).encoded() + "\n")
      return .code(.ok)
    }
    var text = "it is run in parts, each with a journal of its own:\n\(lines)"
    text += "together: \(Self.words(rows))\n"
    for count in Set(parts.map(\.count)).sorted() {
      let there = Set(parts.filter { $0.count == count }.map(\.index))
      let missing = (1...count).lazy.filter { !there.contains($0) }.prefix(9)
      guard !missing.isEmpty else { continue }
      let names = missing.prefix(8).map { "\($0)/\(count)" }.joined(separator: ", ")
      text += "without a journal here: \(names)\(missing.count > 8 ? ", …" : "")\n"
    }
    text += "next: luath batch status \(BatchSubject.quoted(parts[0].name)) tells more of a part, "
    text += "and so do export and verify\n"
    console.writeOutput(text)
    return .code(.ok)
  }

  /// The rows of a part's last run by how far they have come.
  private func state(
    of part: BatchParts
  ) async throws(BatchProblem) -> (rows: [RowState: Int64], isRunning: Bool) {
    let path = console.whole(part.name)
    do throws(BatchProblem) {
      let text = try ControlSocket.ask("status", at: "\(path).sock", patience: 1)
      let answer = try? JSON.parse(text)
      let rows = RowState.allCases.map { ($0, answer?["rows"]?[$0.rawValue]?.integer ?? 0) }
      return (Dictionary(rows) { $1 }, true)
    } catch {
      // A process that was stopped keeps its journal from everybody.
      guard error.code != .inUse else { throw error }
    }
    let key = try keyFile.map { path throws(BatchProblem) in try JournalKey.read(path) }
    let journal = try await SQLiteJournal.open(path: path, key: key, plan: nil)
    let result: Result<[RowState: Int64], BatchProblem>
    do throws(BatchProblem) {
      var rows: [RowState: Int64] = [:]
      if let run = try await journal.runs().last { rows = try await journal.tally(run).rows }
      result = .success(rows)
    } catch {
      result = .failure(error)
    }
    await journal.close()
    return (try result.get(), false)
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
