internal import System
internal import HTTP
internal import CShims
internal import Glibc

/// A chromedriver process in a private folder, supervised by a warden.
final class DriverProcess: Sendable {
  /// The private folder for all files of driver and browser; removed when both have ended.
  let folder: String
  /// The path of the browser profile.
  let profile: String
  private let supervisor: ProcessSupervisor
  /// The driver's output, still readable after the file was removed with the folder.
  private let log: Int32

  /// Starts the driver on a free port, on the loopback interface only.
  init(_ driver: String, _ options: BrowserOptions) throws(WebDriverError) {
    do throws(SystemError) {
      let folder = try PrivateFolder(options.environment)
      self.folder = folder.path
      do throws(SystemError) {
        profile = try folder.folder("profile")
        var environment = options.environment
        environment["TMPDIR"] = try folder.folder("tmp")
        // On Linux, Chromium reads its language from this variable.
        if let language = options.language { environment["LANGUAGE"] = language }
        log = try folder.file("driver.log")
        do throws(SystemError) {
          supervisor = try ProcessSupervisor(
            program: driver, arguments: ["--port=0"], environment: environment.lines, output: log,
            folder: folder.path)
        } catch {
          Glibc.close(log)
          throw error
        }
      } catch {
        folder.remove()
        throw error
      }
    } catch {
      throw WebDriverError(.cannotStart, "\(driver) cannot be started: \(error.words)")
    }
  }

  deinit { Glibc.close(log) }

  /// The time limit for ending both: a stopped script has 700 ms in all.
  static let endLimit: Duration = .milliseconds(300)

  /// Starts a driver and waits until it has a port.
  ///
  /// Chromedriver chooses a free port of 127.0.0.1 and then needs the same one on ::1, where it may
  /// be taken. Another attempt then gets another port.
  static func start(
    _ driver: String, _ options: BrowserOptions, loop: EventLoop
  ) async throws(WebDriverError) -> (DriverProcess, WebURL) {
    for attempt in 1... {
      let process = try DriverProcess(driver, options)
      do throws(WebDriverError) {
        return (process, try await process.address(within: options.startTimeout, loop: loop))
      } catch {
        await process.end(loop: loop)
        guard process.hasMissedItsPort, attempt < 5 else { throw error }
      }
    }
    preconditionFailure("the last attempt returns or throws")
  }

  /// Waits for the driver to print its port and returns its URL.
  func address(within limit: Duration, loop: EventLoop) async throws(WebDriverError) -> WebURL {
    let deadline = ContinuousClock.now + limit
    while true {
      let state = end
      // Read after the state: the driver writes all its output before it ends.
      let text = text
      if let port = Self.port(in: text), let url = WebURL("http://127.0.0.1:\(port)/") {
        return url
      }
      if let state { throw Self.failure(state, lastLine: text.split(separator: "\n").last) }
      guard ContinuousClock.now < deadline else {
        throw WebDriverError(
          .cannotStart, "the driver did not name its port in time",
          hint: "check that it is a chromedriver")
      }
      do { try await loop.sleep(for: .milliseconds(2)) } catch { throw WebDriverError(.cancelled) }
    }
  }

  /// Throws when the driver has ended early.
  func check() throws(WebDriverError) {
    if let end { throw Self.failure(end) }
  }

  /// The driver's output is safe to show, because there is no session yet.
  private static func failure(_ end: String, lastLine: Substring? = nil) -> WebDriverError {
    let words =
      lastLine.map { ", with the message: \(Redaction().clean(String($0.prefix(200))))" } ?? ""
    return WebDriverError(.cannotStart, "the driver \(end)\(words)")
  }

  private var hasMissedItsPort: Bool { text.contains("port not available") }

  /// How the driver ended, as the end of a sentence; nil while it runs.
  var end: String? {
    switch supervisor.state {
    case .running: nil
    case .notStarted(let failure): "cannot be started: \(failure.words)"
    case .ended(let code) where code > 128: "was ended by \(SignalName.text(code - 128))"
    case .ended(let code): "ended with exit code \(code)"
    case .gone: "was ended"
    }
  }

  func wasEnded(by signal: Int32) -> Bool {
    if case .ended(let code) = supervisor.state { code == 128 + Int(signal) } else { false }
  }

  /// Waits until the driver has ended, at most five seconds, because it may also close a connection and go on.
  func waitForEnd(loop: EventLoop) async {
    let deadline = ContinuousClock.now + .seconds(5)
    while end == nil, ContinuousClock.now < deadline {
      do { try await loop.sleep(for: .milliseconds(2)) } catch { return }
    }
  }

  /// Ends driver and browser and removes the folder; waits at most `limit` for that.
  func end(within limit: Duration = endLimit, loop: EventLoop) async {
    supervisor.close()
    let deadline = ContinuousClock.now + limit
    while !isGone, ContinuousClock.now < deadline {
      guard await loop.restAnyway(for: .milliseconds(2)) else { return }
    }
  }

  /// Whether driver and browser have ended.
  var isGone: Bool { supervisor.isGone }

  private var text: String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { pread(log, $0.baseAddress, $0.count, 0) }
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  /// Parses the port in `ChromeDriver was started successfully on port 39531.`, once the line is complete.
  static func port(in text: String) -> Int? {
    guard let range = text.firstRange(of: "started successfully on port ") else { return nil }
    let digits = text[range.upperBound...].prefix { $0.isASCII && $0.isNumber }
    guard digits.endIndex < text.endIndex, let port = Int(digits), (1...65535).contains(port) else {
      return nil
    }
    return port
  }
}

extension EventLoop {
  /// Sleeps even in a canceled task; false when the loop stops.
  package func restAnyway(for duration: Duration) async -> Bool {
    await withUnsafeContinuation { continuation in
      perform { _ = self.beginSleep(for: duration) { continuation.resume(returning: $0) } }
    }
  }
}

/// A temporary folder that only its owner may enter.
struct PrivateFolder {
  /// The absolute path.
  let path: String

  /// Creates a folder in TMPDIR, or in `/tmp` when that is unset or too long.
  ///
  /// The path of a socket is limited to 107 bytes (unix(7)), of which Chromium uses 69 below this folder.
  init(_ environment: ProcessEnvironment = .current) throws(SystemError) {
    let wanted = environment["TMPDIR"] ?? "/tmp"
    let parent = wanted.utf8.count <= 38 && wanted.hasPrefix("/") ? wanted : "/tmp"
    var template = Array("\(parent)/luath-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template), let real = FileAccess.realPath(of: String(cString: made))
    else { throw SystemError(errno) }
    path = real
  }

  /// Creates a subfolder and returns its path.
  func folder(_ name: String) throws(SystemError) -> String {
    let inner = "\(path)/\(name)"
    guard mkdir(inner, 0o700) == 0 else { throw SystemError(errno) }
    return inner
  }

  /// Creates an empty file and opens it for reading and appending.
  func file(_ name: String) throws(SystemError) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC
    let descriptor = open("\(path)/\(name)", flags, 0o600)
    guard descriptor >= 0 else { throw SystemError(errno) }
    return descriptor
  }

  func remove() { luath_remove_tree(path) }
}
