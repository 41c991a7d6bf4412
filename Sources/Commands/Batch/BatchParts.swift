import Batch
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

  /// Says that a plan was run in parts, to a command that reads one journal.
  static func problem(_ plan: String, _ parts: [BatchParts], _ first: BatchParts) -> BatchProblem {
    let names = parts.prefix(3).map(\.name.printable).joined(separator: ", ")
    return BatchProblem(
      .usage,
      "\(plan.printable) was run in parts, each of which has a journal: \(names)"
        + (parts.count > 3 ? ", …" : ""),
      hint: "give the same command one of them, such as \(BatchSubject.quoted(first.name)); "
        + "luath batch status \(BatchSubject.quoted(plan)) has all")
  }
}
