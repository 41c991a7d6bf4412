public import Encoding
import Glibc
import Synchronization

/// The events of a run as lines of JSON in a file; none holds a secret.
public final class BatchEventFile: @unchecked Sendable {
  // Sendable, because the stream locks itself (flockfile(3)), and `isBroken` is behind a mutex.
  private let file: UnsafeMutablePointer<FILE>
  private let isBroken = Mutex(false)
  /// What the person should know about who can read the file; nil when all is well.
  public let warning: String?

  /// Opens a file for its owner alone, also one that is there, and adds to what it holds: a run that goes on goes on there, too.
  ///
  /// - Throws: Why it cannot be written.
  public init(path: String) throws(BatchProblem) {
    // Read, too, as far as it is a file: whoever was killed may have left half a line at its end.
    var descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    if descriptor < 0 { descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC) }
    guard descriptor >= 0, let file = fdopen(descriptor, "a") else {
      let words = String(cString: strerror(errno)).lowercased()
      if descriptor >= 0 { close(descriptor) }
      throw BatchProblem(
        .usage, "cannot write the events to \(path): \(words)", hint: "check the path")
    }
    self.file = file
    warning = PrivateMode.set(descriptor) ? nil : "the events in \(path) can be read by others"
    if Self.endsInMidLine(descriptor) { fputs("\n", file) }
  }

  /// Whether the last line of a file was not ended.
  private static func endsInMidLine(_ descriptor: Int32) -> Bool {
    var status = stat()
    var last: UInt8 = 0x0A
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      pread(descriptor, &last, 1, status.st_size - 1) == 1
    else { return false }
    return last != 0x0A
  }

  /// Adds an event.
  public func write(_ event: BatchEvent) {
    let bytes = event.json.encodedBytes() + [0x0A]
    if fwrite(bytes, 1, bytes.count, file) != bytes.count { isBroken.withLock { $0 = true } }
  }

  /// Brings out what was written.
  public func flush() {
    if fflush(file) != 0 { isBroken.withLock { $0 = true } }
  }

  /// Closes the file; false when some of it is lost.
  public func finish() -> Bool {
    let isClosed = fclose(file) == 0
    return isClosed && !isBroken.withLock(\.self)
  }
}

extension BatchEvent {
  /// As one object: `event` tells what kind it is, `at` when it happened.
  public var json: JSON {
    var object: JSONObject = ["at": .string(Timestamp.text(milliseconds: wallClock()))]
    switch self {
    case .step(let key, let kind, let uid, let outcome):
      object["event"] = "step"
      object["row"] = .integer(outcome.row)
      object["key"] = .string(key)
      object["step"] = .integer(Int64(outcome.step))
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
    }
    return .object(object)
  }
}

extension BatchControl {
  /// The words that `init` reads.
  public var words: String {
    switch self {
    case .pause: "pause"
    case .resume: "resume"
    case .drain: "drain"
    case .rate(let rate): "rate=\(rate.map { "\($0)" } ?? "off")"
    case .concurrency(let count): "concurrency=\(count)"
    }
  }
}
