import System
import Glibc

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

  /// Creates an output with a custom write function, which returns 0 or an error number (errno(3)).
  init(_ write: @escaping (String) -> Int32) {
    place = .stream(write)
    path = nil
  }

  /// Creates an output that overwrites a file; missing folders are created.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The name of the file in messages.
  init(path: String, name: String) {
    place = .unopened(path: path, name: name)
    self.path = path
  }

  deinit {
    if case .file(let descriptor, _) = place { Glibc.close(descriptor) }
  }

  /// Opens the file, if it is not open yet.
  func begin() {
    guard case .unopened(let path, let name) = place else { return }
    Self.makeFolders(of: path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    place = .file(descriptor, name: name)
    if descriptor < 0 { fail(errno) }
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

  /// Writes a file into a folder beside the report, such as `junit-attachments/0001-login.png`.
  ///
  /// Returns its path, which begins like that of the report; nil when the report is not a file, or nothing
  /// could be written. The error is kept for `close`.
  func writeBeside(_ name: String, _ bytes: [UInt8]) -> String? {
    begin()
    guard case .file(_, let report) = place, let path else { return nil }
    func folder(_ path: String) -> String {
      (path.hasSuffix(".xml") ? String(path.dropLast(4)) : path) + "-attachments"
    }
    let file = "\(folder(path))/\(name)"
    Self.makeFolders(of: file)
    do throws(SystemError) {
      try AtomicFile.write(bytes, to: file)
      return "\(folder(report))/\(name)"
    } catch {
      problem = SinkError(
        "cannot write \(file.inOneLine): \(error.words)",
        hint: "name a file in a folder that luath can write to, on a disk with free space")
      return nil
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
