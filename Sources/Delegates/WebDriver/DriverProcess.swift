internal import Glibc
internal import HTTP
internal import IdentityToolkit

/// A chromedriver of our own, in a private folder, under a warden.
final class DriverProcess: Sendable {
  /// The private folder: all that driver and browser write is in it, and it goes with them.
  let folder: String
  /// Where the browser keeps its profile.
  let profile: String
  private let warden: Warden
  /// What the driver says, readable also when the file's name is gone with the folder.
  private let log: Int32

  /// Starts the driver on a port of its choice, on this machine's loopback only.
  init(_ driver: String, _ options: BrowserOptions) throws(WebDriverError) {
    do throws(Warden.StartFailure) {
      let folder = try PrivateFolder(options.environment)
      self.folder = folder.path
      do throws(Warden.StartFailure) {
        profile = try folder.folder("profile")
        var environment = options.environment
        environment["TMPDIR"] = try folder.folder("tmp")
        // Chromium takes its language from here on Linux.
        if let language = options.language { environment["LANGUAGE"] = language }
        log = try folder.file("driver.log")
        do throws(Warden.StartFailure) {
          warden = try Warden(
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

  /// How long the end may take: a stopped script has 700 ms in all.
  static let endLimit: Duration = .milliseconds(300)

  /// Starts a driver and waits for its address.
  ///
  /// Chromedriver takes a free port of 127.0.0.1 and then wants the same of ::1, where another program
  /// may have it; with the next free port it works.
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

  /// Waits for the driver to name its port, and returns its address.
  func address(within limit: Duration, loop: EventLoop) async throws(WebDriverError) -> WebURL {
    let deadline = ContinuousClock.now + limit
    while true {
      let state = end
      // Read after the state: whatever a driver says, it says before its end.
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

  /// Fails when the driver has ended before it was of use.
  func check() throws(WebDriverError) {
    if let end { throw Self.failure(end) }
  }

  /// Before there is a session a driver has nothing secret to tell.
  private static func failure(_ end: String, lastLine: Substring? = nil) -> WebDriverError {
    let words = lastLine.map { ", saying: \(Redaction().clean(String($0.prefix(200))))" } ?? ""
    return WebDriverError(.cannotStart, "the driver \(end)\(words)")
  }

  private var hasMissedItsPort: Bool { text.contains("port not available") }

  /// What became of the driver, as the end of a sentence; nil while it runs.
  var end: String? {
    switch warden.state {
    case .running: nil
    case .notStarted(let failure): "cannot be started: \(failure.words)"
    case .ended(let code) where code > 128: "was ended by signal \(code - 128)"
    case .ended(let code): "ended with exit code \(code)"
    case .gone: "was ended"
    }
  }

  /// Whether the driver has ended by a signal, and by this one.
  func wasEnded(by signal: Int32) -> Bool {
    if case .ended(let code) = warden.state { code == 128 + Int(signal) } else { false }
  }

  /// Waits until it is known how the driver ended, or for five seconds: a driver may also close a
  /// connection and live on.
  func waitForEnd(loop: EventLoop) async {
    let deadline = ContinuousClock.now + .seconds(5)
    while end == nil, ContinuousClock.now < deadline {
      do { try await loop.sleep(for: .milliseconds(2)) } catch { return }
    }
  }

  /// Ends driver and browser and removes the folder; waits for that at most this long.
  func end(within limit: Duration = endLimit, loop: EventLoop) async {
    warden.close()
    let deadline = ContinuousClock.now + limit
    while !isGone, ContinuousClock.now < deadline {
      guard await loop.restAnyway(for: .milliseconds(2)) else { return }
    }
  }

  /// Whether nothing of driver and browser is left.
  var isGone: Bool { warden.isGone }

  private var text: String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { pread(log, $0.baseAddress, $0.count, 0) }
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  /// The port in `ChromeDriver was started successfully on port 39531.`, once the line is whole.
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
  /// Waits, also in a task that is cancelled; false when the loop stops.
  func restAnyway(for duration: Duration) async -> Bool {
    await withUnsafeContinuation { continuation in
      perform { _ = self.beginSleep(for: duration) { continuation.resume(returning: $0) } }
    }
  }
}
