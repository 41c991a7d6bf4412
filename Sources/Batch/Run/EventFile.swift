import System
import Glibc
import Synchronization

/// Writes the events of a run to a file as JSON lines, without secrets.
final class BatchEventFile: @unchecked Sendable {
  // Sendable, because the stream locks itself (flockfile(3)), and `isBroken` is behind a mutex.
  private let file: UnsafeMutablePointer<FILE>
  private let isBroken = Mutex(false)
  /// A warning that other users can read the file; nil when they cannot.
  let warning: String?

  /// Opens or creates a file that only the owner can read, and appends to it, so that a resumed run continues its file.
  ///
  /// - Throws: If the file cannot be written.
  init(path: String) throws(BatchProblem) {
    // Open for reading too, where possible: a killed process may have left half a line at the end.
    var descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    if descriptor < 0 { descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC) }
    guard descriptor >= 0, let file = fdopen(descriptor, "a") else {
      let words = SystemError(errno).words
      if descriptor >= 0 { close(descriptor) }
      throw BatchProblem(
        .usage, "cannot write the events to \(path): \(words)", hint: "check the path")
    }
    self.file = file
    warning = PrivateMode.set(descriptor) ? nil : "the events in \(path) can be read by others"
    if Self.endsInMidLine(descriptor) { fputs("\n", file) }
  }

  /// Whether the last line has no line feed at its end.
  private static func endsInMidLine(_ descriptor: Int32) -> Bool {
    var status = stat()
    var last: UInt8 = 0x0A
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      pread(descriptor, &last, 1, status.st_size - 1) == 1
    else { return false }
    return last != 0x0A
  }

  /// Appends an event of this moment to the file.
  func write(_ event: BatchEvent) {
    let bytes = event.json(at: Timestamp.now).encodedBytes() + [0x0A]
    if fwrite(bytes, 1, bytes.count, file) != bytes.count { isBroken.withLock { $0 = true } }
  }

  /// Flushes the buffer to the file.
  func flush() {
    if fflush(file) != 0 { isBroken.withLock { $0 = true } }
  }

  /// Closes the file; false if events were lost.
  func finish() -> Bool {
    let isClosed = fclose(file) == 0
    return isClosed && !isBroken.withLock(\.self)
  }
}

extension BatchEvent {
  /// The event as a JSON object: `event` is its kind, `at` its time.
  ///
  /// - Parameter time: The time in milliseconds since 1970, if known; a step has its own.
  func json(at time: Int64?) -> JSON {
    var object = JSONObject()
    var time = time
    if case .step(_, _, _, let outcome) = self { time = outcome.at }
    object["at"] = time.map { .string(Timestamp.text(milliseconds: $0)) }
    switch self {
    case .step(let key, let kind, let uid, let outcome):
      object["event"] = "step"
      object["row"] = .integer(outcome.row)
      object["key"] = .string(key)
      let other = StepIntent.stepTakenBack(by: outcome.step)
      object["step"] = .integer(Int64(other ?? outcome.step))
      if other != nil { object["takesBack"] = true }
      object["op"] = .string(kind)
      object["uid"] = uid.map(JSON.string)
      object["result"] = .string(outcome.result.rawValue)
      object["code"] = outcome.fault.map { .string($0.code) }
      object["microseconds"] = .integer(outcome.microseconds)
      object["attempts"] = .integer(Int64(outcome.attempts))
    case .row(let number, let key, let state, let fault):
      object["event"] = "row"
      object["row"] = .integer(number)
      object["key"] = .string(key)
      object["state"] = .string(state.rawValue)
      object["code"] = fault.map { .string($0.code) }
      object["message"] = fault.map { .string($0.message) }
    case .throttled(let rate):
      object["event"] = "throttled"
      object["rate"] = rate.map(JSON.number) ?? .null
    case .control(let control):
      object["event"] = "control"
      object["what"] = .string(control.words)
    case .held(let hold):
      object["event"] = "held"
      object["by"] = hold.map { .string($0.rawValue) } ?? .null
    }
    return .object(object)
  }
}

extension BatchControl {
  /// The command text that `init` parses.
  var words: String {
    switch self {
    case .pause: "pause"
    case .resume: "resume"
    case .drain: "drain"
    case .rate(let rate): "rate=\(rate.map { "\($0)" } ?? "off")"
    case .concurrency(let count): "concurrency=\(count)"
    }
  }
}
