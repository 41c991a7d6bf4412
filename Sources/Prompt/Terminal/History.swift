import Glibc
import Synchronization
import System

/// The history of entries, stored in a file.
///
/// Only its user may read the file. It holds one entry per line, and concurrent prompts share it: each
/// appends its entries. In memory entries are unchanged; the file gets them without secrets.
final class History: Sendable {
  /// The maximum number of entries that are read and kept in memory.
  private static let mostEntries = 10_000
  /// The size from which the file is cut to its newer half, in bytes.
  private static let longestFile = 2 << 20
  /// The size up to which an entry goes into the file, in bytes; a pasted table may be longer.
  private static let longestEntry = 256 << 10

  private struct State {
    var entries: [String]
    /// The last entry written to the file.
    var kept: String?
    var file: String?
    var warning: String?
  }

  private let state: Mutex<State>
  private let clean: @Sendable (String) -> String?

  /// Reads the history from the file.
  ///
  /// - Parameters:
  ///   - file: the path of the file; nil to keep the history in memory only.
  ///   - clean: removes secrets from an entry before it goes into the file; nil keeps it out of the file.
  init(file: String? = nil, clean: @escaping @Sendable (String) -> String? = { $0 }) {
    self.clean = clean
    var first = State(entries: [], kept: nil, file: file, warning: nil)
    if let file {
      do throws(HistoryProblem) {
        first.entries = try HistoryFile(path: file).read(
          most: Self.mostEntries, longest: Self.longestFile)
        first.kept = first.entries.last
      } catch {
        first.file = nil
        first.warning = error.words
      }
    }
    state = Mutex(first)
  }

  /// The entries, oldest first.
  var entries: [String] { state.withLock { $0.entries } }

  /// Why the history is not stored, reported once; nil when it is stored.
  func takeWarning() -> String? { state.withLock { $0.warning.take() } }

  /// Adds an entry, to the file without its secrets; blank entries and repetitions are skipped.
  func add(_ text: String) {
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    let cleaned = clean(text)
    let file: String? = state.withLock { state in
      if state.entries.last != text { state.entries.append(text) }
      if state.entries.count > Self.mostEntries { state.entries.removeFirst() }
      guard let cleaned, state.kept != cleaned, cleaned.utf8.count <= Self.longestEntry else {
        return nil
      }
      state.kept = cleaned
      return state.file
    }
    guard let file, let cleaned else { return }
    do throws(HistoryProblem) {
      try HistoryFile(path: file).append(cleaned)
    } catch {
      state.withLock { state in
        state.file = nil
        state.warning = error.words
      }
    }
  }
}

struct HistoryProblem: Error {
  let words: String
}

/// The history file: a line per entry, with `\n`, `\\` and `\xHH` as escapes.
struct HistoryFile {
  let path: String

  /// Reads the entries; creates the file if it does not exist.
  ///
  /// - Throws: `HistoryProblem` when the file belongs to another user, others can access it, or it cannot be read.
  func read(most: Int, longest: Int) throws(HistoryProblem) -> [String] {
    let descriptor = try open()
    defer { close(descriptor) }
    var bytes = try content(of: descriptor)
    if bytes.count > longest {
      // Start at the beginning of a line.
      let half = bytes.count - longest / 2
      bytes = bytes[half...].firstIndex(of: 0x0A).map { Array(bytes[($0 + 1)...]) } ?? []
      try replace(bytes)
    }
    let lines = bytes.split(separator: 0x0A).suffix(most)
    return lines.map { Self.text(of: $0) }
  }

  /// Appends an entry.
  ///
  /// - Throws: `HistoryProblem` when the file cannot be used.
  func append(_ text: String) throws(HistoryProblem) {
    let descriptor = try open()
    defer { close(descriptor) }
    var line = Self.line(of: text) + [0x0A]
    // After an incomplete line, for example because the disk was full, begin a new one.
    var last: UInt8 = 0x0A
    let end = lseek(descriptor, 0, SEEK_END)
    if end > 0, pread(descriptor, &last, 1, end - 1) == 1, last != 0x0A { line.insert(0x0A, at: 0) }
    try put(line, descriptor)
  }

  /// Opens the file and locks it against other prompts until it is closed.
  private func open() throws(HistoryProblem) -> Int32 {
    makeFolder()
    for _ in 0..<10 {
      let descriptor = Glibc.open(
        path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
      guard descriptor >= 0 else {
        throw notOpened(errno)
      }
      do throws(HistoryProblem) {
        try check(descriptor)
        while flock(descriptor, LOCK_EX) != 0 {
          guard errno == EINTR else {
            throw problem("cannot be locked: \(SystemError(errno).words)", nil)
          }
        }
        if isStillThere(descriptor) { return descriptor }
        close(descriptor)
      } catch {
        close(descriptor)
        throw error
      }
    }
    throw problem("is replaced again and again", nil)
  }

  private func notOpened(_ number: Int32) -> HistoryProblem {
    switch number {
    case EISDIR: problem("is a folder", "name a file in LUATH_HISTORY")
    case ELOOP:
      problem(
        "is a symbolic link", "name the file that it leads to in LUATH_HISTORY, or move it away")
    case ENOTDIR:
      problem("is below something that is no folder", "name another file in LUATH_HISTORY")
    default: problem("cannot be opened: \(SystemError(number).words)", "give the right to write it")
    }
  }

  private func check(_ descriptor: Int32) throws(HistoryProblem) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else {
      throw problem("cannot be read: \(SystemError(errno).words)", nil)
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw problem("is no ordinary file", "move it away")
    }
    guard facts.st_uid == geteuid() else {
      throw problem(
        "belongs to another user", "move it away, or name another file in LUATH_HISTORY")
    }
    guard facts.st_mode & 0o077 == 0 else {
      throw problem("can be read or written by others", "run chmod 600 on it")
    }
  }

  /// Whether the path still refers to the open file, as another prompt may have replaced it before the lock.
  private func isStillThere(_ descriptor: Int32) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
      && own.st_dev == named.st_dev
  }

  private func makeFolder() {
    var made = ""
    for part in path.split(separator: "/").dropLast() {
      made += made.isEmpty && !path.hasPrefix("/") ? String(part) : "/" + part
      _ = mkdir(made, 0o700)
    }
  }

  private func content(of descriptor: Int32) throws(HistoryProblem) -> [UInt8] {
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(content.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw problem("cannot be read: \(SystemError(errno).words)", nil) }
      if count == 0 { return content }
      content += buffer[..<count]
    }
  }

  /// Replaces the file atomically; the lock remains on the old file.
  private func replace(_ bytes: [UInt8]) throws(HistoryProblem) {
    do throws(SystemError) { try AtomicFile.write(bytes, to: path) } catch {
      throw problem("cannot be shortened: \(error.words)", nil)
    }
  }

  private func put(_ bytes: [UInt8], _ descriptor: Int32) throws(HistoryProblem) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw problem("cannot be written: \(SystemError(errno).words)", nil) }
      rest = rest.dropFirst(count)
    }
  }

  private func problem(_ what: String, _ hint: String?) -> HistoryProblem {
    HistoryProblem(
      words: "the history file \(ShownCharacter.safe(path)) \(what)"
        + "; what is typed is not kept" + (hint.map { ": \($0)" } ?? ""))
  }
}

extension HistoryFile {
  private static let digits = Array("0123456789ABCDEF".utf8)

  static func line(of text: String) -> [UInt8] {
    var line: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x0A: line += Array("\\n".utf8)
      case UInt8(ascii: "\\"): line += Array("\\\\".utf8)
      case 0..<0x20, 0x7F:
        line += Array("\\x".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: line.append(byte)
      }
    }
    return line
  }

  static func text(of line: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    var rest = Array(line)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let kind = rest.first else {
        text.append(byte)
        continue
      }
      switch kind {
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "x"):
        let number = UInt8(String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16)
        guard let number else {
          text.append(byte)
          continue
        }
        text.append(number)
        rest = rest.dropFirst(2)
      default: text.append(kind)
      }
      rest = rest.dropFirst()
    }
    return String(decoding: text, as: UTF8.self)
  }
}
