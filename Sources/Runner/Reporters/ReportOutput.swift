import Glibc

/// Where a report goes: the standard output, or a file.
///
/// A file is opened when the run begins, and written in pieces: what keeps a run from beginning leaves
/// the last report as it is. What goes wrong is kept for `close`, so that a run goes on and its other
/// reports are complete.
public final class ReportOutput {
  private enum Place {
    case stream((String) -> Int32)
    case unopened(path: String, name: String)
    case file(Int32, name: String)
    case broken
  }

  private var place: Place
  private var problem: SinkError?
  private var pending: [UInt8] = []

  /// A report that somebody else writes out, who gives 0 or the number of the error (errno(3)).
  public init(_ write: @escaping (String) -> Int32) { place = .stream(write) }

  /// A report in a file, in place of what it held; folders that are missing are made.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - name: What it is called in messages.
  public init(path: String, name: String) { place = .unopened(path: path, name: name) }

  deinit {
    if case .file(let descriptor, _) = place { Glibc.close(descriptor) }
  }

  /// Makes the file, whose run begins.
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
        // Who stops reading, as head(1) does, has seen enough: that is no error.
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

  /// Brings out what is held back.
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

  /// Writes the rest and closes the file.
  ///
  /// - Throws: What went wrong, now or before.
  func close() throws(SinkError) {
    flush()
    if case .file(let descriptor, _) = place {
      // The error of a delayed write shows here (close(2)).
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
    let words = String(cString: strerror(number)).lowercased()
    switch place {
    case .stream:
      problem = SinkError(
        "cannot write the report to the standard output: \(words)",
        hint: "KIND:FILE writes it to a file")
    case .file(_, let name):
      problem = SinkError(
        "cannot write the report \(name.inOneLine): \(words)",
        hint: "name a file in a folder that can be written to, on a disk with room")
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
