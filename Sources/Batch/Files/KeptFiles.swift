import Glibc
import Host

/// The files that a batch command reads or continues, which none of its outputs may overwrite.
struct KeptFiles: Sendable {
  /// Identifies a file: by device and inode if it exists, else by its folder and name.
  private struct Identity: Hashable {
    let device: dev_t
    let inode: ino_t
    var name: Substring = ""

    /// Nil if neither the file nor its folder exists.
    init?(_ path: String) {
      var status = stat()
      if stat(path, &status) != 0 {
        let slash = path.lastIndex(of: "/")
        name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        guard !name.isEmpty, stat(slash.map { "\(path[...$0])" } ?? ".", &status) == 0 else {
          return nil
        }
      }
      device = status.st_dev
      inode = status.st_ino
    }
  }

  /// An output of a command.
  struct Output {
    /// The option, as in `-o` or `--report html:`.
    let option: String
    /// Nil or `-` for standard output.
    let path: String?
  }

  /// The options of batch commands that name a file to read, with descriptions of the files.
  private static let options = [
    ("in", "the input"), ("accounts", "the file of --accounts"), ("config", "the file of --config"),
    ("project", "the project file"), ("journal-key", "the key of the journal"),
  ]

  private let console: Console
  private var files: [(path: String, words: String)] = []

  /// The files that the options of a command line name.
  init(_ arguments: ParsedArguments, _ console: Console) {
    self.console = console
    for (option, words) in Self.options {
      if let path = arguments.values[option] { add(path, words) }
    }
    for path in arguments.lists["require-signature"] ?? [] { add(path, "a file of public keys") }
    if let path = arguments.values["journal"] { add(journal: path) }
  }

  /// Adds a file; `words` describe it in messages.
  mutating func add(_ path: String, _ words: String) {
    guard !path.isEmpty, path != "-" else { return }
    files.append((console.whole(path), words))
  }

  /// Adds a plan and its journals, or a journal and its plan, with all files beside them.
  mutating func add(subject name: String) {
    guard name.hasSuffix(".journal") else {
      add(plan: name)
      return add(journalsOfPlan: SQLiteJournal.path(ofPlan: name))
    }
    add(journal: name)
    var base = String(name.dropLast(".journal".count))
    base = BatchParts.part(base)?.base ?? base
    add(journalsOfPlan: "\(base).journal")
    for plan in ["\(base).ndjson", base] { add(plan: plan) }
  }

  /// Adds the script and the input of a plan.
  mutating func add(_ header: PlanHeader) {
    add(header.script, "the script of the plan")
    add(header.input, "the input of the plan")
  }

  private mutating func add(plan: String) {
    add(plan, "the plan")
    add(PlanSignatureFile.path(ofPlan: plan), "the signatures of the plan")
    add(QueueMarker.path(ofPlan: plan), "the name of the plan's queue")
  }

  private mutating func add(journalsOfPlan path: String) {
    add(journal: path)
    for part in BatchParts.beside(path, console) { add(journal: part.name) }
  }

  /// Adds a journal with the files beside it.
  mutating func add(journal: String) {
    for ending in ["", "-wal", "-shm", ".sock"] { add(journal + ending, "the journal") }
  }

  /// Throws if an output is one of these files, or if two outputs are the same file.
  func require(_ outputs: [Output]) throws(BatchProblem) {
    var known: [Identity: String] = [:]
    for file in files {
      if let identity = Identity(file.path), known[identity] == nil {
        known[identity] = file.words
      }
    }
    for output in outputs {
      guard let path = output.path, path != "-", let identity = Identity(console.whole(path)) else {
        continue
      }
      let option = output.option + (output.option.hasSuffix(":") ? "" : " ")
      if let words = known[identity] {
        throw BatchProblem(
          .usage, "\(option)\(path.printable) would overwrite \(words)",
          hint: "name another file to write")
      }
      known[identity] = "the file of \(output.option)"
    }
  }
}
