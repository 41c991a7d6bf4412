import Glibc
import Host
import System

/// A part of a plan run with `luath batch run --shard`, which has its own journal next to the plan.
struct BatchParts: Sendable, Equatable {
  /// The journal's path in the form of the user's argument.
  let name: String
  /// The path of the plan's own journal without `.journal`.
  let base: String
  let index: Int64
  let count: Int64

  /// The part as `--shard` takes it.
  var words: String { "\(index)/\(count)" }

  /// Parses the path of a part's journal without `.journal`; nil if it does not belong to a part.
  static func part(_ text: String) -> BatchParts? {
    guard let dot = text.lastIndex(of: ".") else { return nil }
    let words = text[text.index(after: dot)...].split(
      separator: "-", omittingEmptySubsequences: false)
    guard words.count == 3, words[1] == "of", let shard = BatchShard("\(words[0])/\(words[2])")
    else { return nil }
    return BatchParts(
      name: "\(text).journal", base: String(text[..<dot]), index: shard.index, count: shard.count)
  }

  /// The parts with journals in the same folder as the plan's journal, in order.
  static func beside(_ journal: String, _ console: Console) -> [BatchParts] {
    let base = journal.dropLast(".journal".count)
    let slash = base.lastIndex(of: "/")
    let folder = slash.map { base[...$0] } ?? ""
    let names = FolderListing.names(in: console.whole(folder.isEmpty ? "." : String(folder)))
    let parts = names.compactMap { name -> BatchParts? in
      guard name.hasSuffix(".journal") else { return nil }
      let part = part("\(folder)\(name.dropLast(".journal".count))")
      return part?.base == String(base) ? part : nil
    }
    return parts.sorted { ($0.count, $0.index) < ($1.count, $1.index) }
  }

  /// Throws if the plan was run before with a different split, because its rows would then run again.
  ///
  /// - Parameter journal: The path of the journal for the plan as a whole, in the form of the user's argument.
  static func requireSameSplit(
    _ plan: String, _ shard: BatchShard?, journal: String, _ console: Console
  ) throws(BatchProblem) {
    let isWhole = shard != nil && access(console.whole(journal), F_OK) == 0
    let others = beside(journal, console).filter { $0.count != shard?.count }
    let names = (isWhole ? [journal] : []) + others.map(\.name)
    guard let first = names.first else { return }
    let list = names.prefix(3).map(\.printable).joined(separator: ", ")
    let split = isWhole ? "as a whole" : shard == nil ? "in parts" : "in other parts"
    let go =
      isWhole || others.isEmpty
      ? "continue with the whole plan, without --shard"
      : "go on with the parts of that split, as --shard \(others[0].words) does"
    throw BatchProblem(
      .usage,
      "\(plan.printable) was run \(split) already, and its rows would "
        + "be done again: \(list)\(names.count > 3 ? ", …" : "")",
      hint: "\(go) (luath batch status \(ShellWord.quoted(first)) shows its progress), "
        + "or, where that is not to count, move the journals away or name another one with --journal"
    )
  }

  /// The problem when a command for one journal is given a plan that was run in parts.
  static func problem(_ plan: String, _ parts: [BatchParts], _ first: BatchParts) -> BatchProblem {
    let names = parts.prefix(3).map(\.name.printable).joined(separator: ", ")
    return BatchProblem(
      .usage,
      "\(plan.printable) was run in parts, each of which has a journal: \(names)"
        + (parts.count > 3 ? ", …" : ""),
      hint: "give the same command one of them, such as \(ShellWord.quoted(first.name)); "
        + "luath batch status \(ShellWord.quoted(plan)) has all")
  }
}

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
    var text = "it is run in parts, each with its own journal:\n\(lines)"
    text += "together: \(Self.words(rows))\(undone > 0 ? ", \(undone) of them undone" : "")\n"
    for count in Set(parts.map(\.count)).sorted() {
      let there = Set(parts.filter { $0.count == count }.map(\.index))
      let missing = (1...count).lazy.filter { !there.contains($0) }.prefix(9)
      guard !missing.isEmpty else { continue }
      let names = missing.prefix(8).map { "\($0)/\(count)" }.joined(separator: ", ")
      text += "without a journal here: \(names)\(missing.count > 8 ? ", …" : "")\n"
    }
    text += "next: luath batch status \(ShellWord.quoted(parts[0].name)) shows more about a part, "
    text += "and so do export and verify\n"
    console.writeOutput(text)
    return .code(.ok)
  }

  private struct Found {
    var rows: [RowState: Int64] = [:]
    /// The kind of the run in progress, which the rows then belong to; nil if there is none.
    var runs: String?
    /// The undo of the part's run.
    var undone: BatchUndone?

    var isOfPlan: Bool { runs.map { $0 == BatchRun.Kind.run.rawValue } ?? true }

    var words: String {
      let words = BatchPartsStatus.words(rows)
      guard isOfPlan else { return "its \(runs ?? "") is running: \(words)" }
      guard let undone else { return words + (runs == nil ? "" : ", running now") }
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
    for (state, name) in [(RowState.failed, "failed"), (.halfDone, "half done")] {
      if let count = rows[state], count > 0 { words += ", \(count) \(name)" }
    }
    return words + (left > 0 ? ", \(left) left" : "")
  }

  private static func json(_ rows: [RowState: Int64]) -> JSON { BatchTally(rows: rows).rowsJSON }
}
