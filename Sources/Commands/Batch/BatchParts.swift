import Batch
import Glibc
import Scripting

/// A part of a plan that `luath batch run --shard` has worked on, with a journal of its own beside the plan's.
struct BatchParts: Sendable, Equatable {
  /// The journal's name as the person would give it.
  let name: String
  /// The name of the plan's own journal without its ending.
  let base: String
  let index: Int64
  let count: Int64

  /// As `--shard` takes it.
  var words: String { "\(index)/\(count)" }

  /// Reads the name of a part's journal, without its ending; nil when it is that of no part.
  static func part(_ text: String) -> BatchParts? {
    guard let dot = text.lastIndex(of: ".") else { return nil }
    let words = text[text.index(after: dot)...].split(
      separator: "-", omittingEmptySubsequences: false)
    guard words.count == 3, words[1] == "of", let shard = BatchShard("\(words[0])/\(words[2])")
    else { return nil }
    return BatchParts(
      name: "\(text).journal", base: String(text[..<dot]), index: shard.index, count: shard.count)
  }

  /// The parts that have journals beside the one that a plan would have, in their order.
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

  /// Refuses to run a plan, or a part of it, where journals lie beside it that have the same rows in another split:
  /// what is done there would be done again.
  ///
  /// - Parameter journal: The journal that the plan as a whole has, as the person would give it.
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
      ? "go on with the whole, without --shard"
      : "go on with the parts of that split, as --shard \(others[0].words) does"
    throw BatchProblem(
      .usage,
      "\(plan.printable) was run \(split) already, and its rows would "
        + "be done again: \(list)\(names.count > 3 ? ", …" : "")",
      hint: "\(go) (luath batch status \(ShellWord.quoted(first)) tells how far it came), "
        + "or, where that is not to count, move the journals away or name another one with --journal"
    )
  }

  /// Says that a plan was run in parts, to a command that reads one journal.
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
