import Glibc
import Host
import System

/// The snapshots of a journey file, in a text file beside it.
///
///     # luath snapshots 1; luath test --update-snapshots writes this file
///
///     === signs in > has claims
///     --- 1
///     {
///       email = "ada@contoso.example",
///     }
struct SnapshotFile: Equatable {
  /// The journey and the name or number that a snapshot belongs to.
  struct Key: Hashable, Sendable {
    /// The journey's name with those of its blocks.
    let journey: String
    let name: String
  }

  static let ending = ".snap"
  private static let head = "# luath snapshots"
  private static let version = "1"
  private static let largest = 64 << 20

  private(set) var entries: [Key: String] = [:]

  /// Creates a file without snapshots.
  init() {}

  /// Adds, replaces or removes a snapshot.
  subscript(key: Key) -> String? {
    get { entries[key] }
    set { entries[key] = newValue }
  }

  // MARK: Text

  /// Why a text is no file of snapshots.
  struct Mistake: Error, Equatable {
    let line: Int
    let message: String
  }

  /// Parses the output of `encoded`.
  init(_ text: String) throws(Mistake) {
    // By bytes, as `\r\n` is one character to Swift; an editor may write it.
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      String(Substring(line.last == 0x0D ? line.dropLast() : line))
    }
    let first = lines.first ?? ""
    if let mark = lines.firstIndex(where: Self.isConflict) {
      throw Mistake(line: mark + 1, message: "it has the marks of a merge conflict")
    }
    guard first.hasPrefix(Self.head) else {
      throw Mistake(line: 1, message: "it does not begin with '\(Self.head)'")
    }
    let version = first.dropFirst(Self.head.count).drop { $0 == " " }.prefix { $0.isNumber }
    guard version == Self.version else {
      throw Mistake(line: 1, message: "it is of version '\(version)', and this luath reads 1")
    }
    var journey: String?
    var key: Key?
    var content: [String] = []
    var began = 0
    func finish() throws(Mistake) {
      while content.last?.isEmpty == true { content.removeLast() }
      guard let key else { return }
      guard !content.isEmpty else { throw Mistake(line: began, message: "the snapshot is empty") }
      guard entries[key] == nil else {
        throw Mistake(line: began, message: "the snapshot is there twice")
      }
      entries[key] = content.joined(separator: "\n") + "\n"
    }
    for (index, line) in lines.enumerated().dropFirst() {
      if line.hasPrefix("=== ") {
        try finish()
        (key, content) = (nil, [])
        journey = try Self.name(line, index)
      } else if line.hasPrefix("--- ") {
        try finish()
        guard let journey else {
          throw Mistake(line: index + 1, message: "there is no journey before it ('=== NAME')")
        }
        (key, content, began) = (
          Key(journey: journey, name: try Self.name(line, index)), [], index + 1
        )
      } else if key != nil {
        content.append(line)
      } else if !line.isEmpty {
        throw Mistake(line: index + 1, message: "it belongs to no snapshot ('--- NAME')")
      }
    }
    try finish()
  }

  private static func isConflict(_ line: String) -> Bool {
    line.hasPrefix("<<<<<<< ") || line.hasPrefix(">>>>>>> ") || line == "======="
  }

  private static func name(_ line: String, _ index: Int) throws(Mistake) -> String {
    let name = String(line.dropFirst(4))
    guard name.hasPrefix("\"") else { return name }
    guard let name = (try? JSON.parse(Array(name.utf8)))?.string else {
      throw Mistake(line: index + 1, message: "the name is not a complete text in quotation marks")
    }
    return name
  }

  /// A name on one line; in quotation marks if an editor might change it.
  private static func shown(_ name: String) -> String {
    let isPlain =
      name.first?.isWhitespace == false && name.last?.isWhitespace == false
      && !name.hasPrefix("\"")
      && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
      && SnapshotText.visible(name) == name
    return isPlain ? name : SnapshotText.visible(JSON.string(name).encoded())
  }

  /// The text; equal snapshots give equal text.
  var encoded: String {
    var text = "\(Self.head) \(Self.version); luath test --update-snapshots writes this file\n"
    var journey: String?
    for key in entries.keys.sorted(by: Self.isBefore) {
      if key.journey != journey { text += "\n=== \(Self.shown(key.journey))\n" }
      journey = key.journey
      text += "--- \(Self.shown(key.name))\n\(entries[key] ?? "")"
    }
    return text
  }

  private static func isBefore(_ one: Key, _ other: Key) -> Bool {
    if one.journey != other.journey {
      return one.journey.utf8.lexicographicallyPrecedes(other.journey.utf8)
    }
    if let number = Int(one.name), let second = Int(other.name) { return number < second }
    return one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
  }

  // MARK: File

  /// Reads a file; without a file there are no snapshots.
  static func read(_ path: String, shown: String) throws(Problem) -> SnapshotFile {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try WholeFile.read(path, atMost: largest)
    } catch {
      if error.code == ENOENT { return SnapshotFile() }
      throw Problem(
        "cannot read the snapshots in \(shown): \(error.words)",
        hint: "check the file and its permissions")
    }
    do throws(Mistake) {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Mistake(line: 1, message: "it is not UTF-8")
      }
      return try SnapshotFile(text)
    } catch {
      throw Problem(
        "cannot read the snapshots in \(shown), line \(error.line): \(error.message)",
        hint: "correct the line, or delete the file and run luath test --update-snapshots")
    }
  }

  /// Changes a file in one step, so that no reader sees half of it and no change of another process is lost.
  ///
  /// Without snapshots the file is deleted.
  static func change(
    _ path: String, shown: String, _ change: (inout SnapshotFile) -> Void
  ) throws(Problem) -> SnapshotFile {
    let folder = open(path.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if folder >= 0 { close(folder) } }
    if folder >= 0 { while flock(folder, LOCK_EX) != 0, errno == EINTR {} }
    let before = try read(path, shown: shown)
    var file = before
    change(&file)
    guard file != before else { return file }
    do throws(SystemError) {
      if file.entries.isEmpty {
        if unlink(path) != 0 { throw SystemError(errno) }
      } else {
        try AtomicFile.write(Array(file.encoded.utf8), to: path, mode: 0o666)
      }
    } catch {
      throw Problem(
        "cannot write the snapshots to \(shown): \(error.words)",
        hint: "check the permissions of the folder \(shown.folder)")
    }
    return file
  }
}
