import Glibc
import Host
import SignIn
import System

/// The destination of a report: standard output or a file.
///
/// A file is opened only when the run begins, so that a run that cannot begin leaves the last report intact.
/// Errors are kept for `close`, so that the run continues and the other reports are complete.
final class ReportOutput {
  private enum Place {
    case stream((String) -> Int32)
    case unopened(path: String, name: String)
    case file(Int32, name: String)
    case broken
  }

  private var place: Place
  /// The path of the file; nil for another destination.
  private let path: String?
  private var problem: SinkError?
  private var pending: [UInt8] = []
  private let appends: Bool

  /// Creates an output with a custom write function, which returns 0 or an error number (errno(3)).
  init(_ write: @escaping (String) -> Int32) {
    place = .stream(write)
    path = nil
    appends = false
  }

  /// Creates an output that overwrites a file; missing folders are created.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The name of the file in messages.
  ///   - appends: Whether the file keeps what it has.
  init(path: String, name: String, appends: Bool = false) {
    place = .unopened(path: path, name: name)
    self.path = path
    self.appends = appends
  }

  deinit {
    if case .file(let descriptor, _) = place { Glibc.close(descriptor) }
  }

  /// Opens the file, if it is not open yet.
  func begin() {
    guard case .unopened(let path, let name) = place else { return }
    Self.makeFolders(of: path)
    let descriptor = Glibc.open(
      path, O_WRONLY | O_CREAT | (appends ? O_APPEND : O_TRUNC) | O_CLOEXEC, 0o644)
    place = .file(descriptor, name: name)
    if descriptor < 0 { fail(errno) }
  }

  /// Opens the file now.
  ///
  /// - Throws: Why it cannot be written.
  func open() throws(SinkError) {
    begin()
    if let problem { throw problem }
  }

  func write(_ text: String) {
    begin()
    switch place {
    case .stream(let write):
      let number = write(text)
      if number == EPIPE {
        // A reader that stops early, such as head(1), is not an error.
        place = .broken
      } else if number != 0 {
        fail(number)
      }
    case .file:
      pending += text.utf8
      if pending.count > 1 << 16 { flush() }
    case .unopened, .broken: break
    }
  }

  /// Writes an attachment into a folder beside the report, such as `junit-attachments/0001-login.png`.
  ///
  /// Returns its path, which begins like that of the report: GitLab and Jenkins start from the project's folder. If the
  /// report is not a file, or nothing can be written, it is the file of `--pages`; the error is kept for `close`.
  ///
  /// - Parameter count: The number of attachments so far.
  func writeBeside(_ attachment: AttachmentEvent, _ count: inout Int) -> String? {
    begin()
    guard case .file(_, let report) = place, let path, let bytes = attachment.bytes else {
      return attachment.file
    }
    let number = String(count + 1)
    let zeros = String(repeating: "0", count: max(0, 4 - number.count))
    let name = "\(zeros)\(number)-\(SignInTrace.plainName(attachment.name)).\(attachment.ending)"
    func file(_ path: String) -> String {
      let ending = [".xml", ".json"].first { path.hasSuffix($0) } ?? ""
      return "\(path.dropLast(ending.count))-attachments/\(name)"
    }
    guard put(bytes, in: file(path)) else { return attachment.file }
    count += 1
    return file(report)
  }

  /// Writes a file of a report that is a folder; an error is kept for `close`.
  func writeInside(_ name: String, _ bytes: [UInt8]) {
    if let path { _ = put(bytes, in: "\(path)/\(name)") }
  }

  /// Removes the files of a report that is a folder whose names begin with a prefix.
  func removeInside(prefix: String) {
    guard let path else { return }
    for name in FolderListing.names(in: path) where name.hasPrefix(prefix) {
      unlink("\(path)/\(name)")
    }
  }

  private func put(_ bytes: [UInt8], in file: String) -> Bool {
    Self.makeFolders(of: file)
    do throws(SystemError) {
      try AtomicFile.write(bytes, to: file, mode: 0o644)
      return true
    } catch {
      problem = SinkError(
        "cannot write \(file.inOneLine): \(error.words)",
        hint: "name a file in a folder that luath can write to, on a disk with free space")
      return false
    }
  }

  /// Writes the buffered text to the file.
  func flush() {
    guard case .file(let descriptor, _) = place else { return }
    var rest = pending[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return fail(errno) }
      rest = rest.dropFirst(count)
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Flushes and closes the file.
  ///
  /// - Throws: The last error of this or an earlier write.
  func close() throws(SinkError) {
    flush()
    if case .file(let descriptor, _) = place {
      // close(2) may return the error of a delayed write.
      if Glibc.close(descriptor) != 0, errno != EINTR { noteProblem(errno) }
      place = .broken
    }
    if let problem { throw problem }
  }

  private func fail(_ number: Int32) {
    noteProblem(number)
    if case .file(let descriptor, _) = place, descriptor >= 0 { Glibc.close(descriptor) }
    place = .broken
    pending = []
  }

  private func noteProblem(_ number: Int32) {
    let words = SystemError(number).words
    switch place {
    case .stream:
      problem = SinkError(
        "cannot write the report to the standard output: \(words)",
        hint: "KIND:FILE writes it to a file")
    case .file(_, let name):
      problem = SinkError(
        "cannot write the report \(name.inOneLine): \(words)",
        hint: "name a file in a folder that luath can write to, on a disk with free space")
    case .unopened, .broken: break
    }
  }

  private static func makeFolders(of path: String) {
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += (folder.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
      mkdir(folder, 0o777)
    }
  }
}
