import Glibc
import Host

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
