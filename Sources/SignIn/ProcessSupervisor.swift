package import System
internal import HTTP
internal import CShims
internal import Glibc

/// A child program that cannot outlive this process or leave files behind.
///
/// It is started by a supervisor process, the warden, which holds one end of a pipe, the leash.
/// When the other end is closed, by `close` or because this process ended in any way, the supervisor
/// ends the program with all its descendants and removes its folder.
package final class ProcessSupervisor: Sendable {
  package enum State: Equatable {
    /// It was started and has not ended yet.
    case running
    /// It could not be started.
    case notStarted(SystemError)
    /// It ended by itself: its exit code, or 128 plus the number of the signal.
    case ended(code: Int32)
    /// The warden has ended it, with all its descendants.
    case gone
  }

  /// What the warden reports about the program, in this order.
  package enum Report: Equatable, Sendable {
    case started(process: Int32)
    /// It was stopped, as by Ctrl-Z; only for a program with a process group.
    case stopped(signal: Int32)
    case notStarted(SystemError)
    /// It ended by itself, with this exit code, or was ended by a signal that did not come from the warden.
    case ended(code: Int32, signal: Int32?)
    /// The warden and all descendants have ended.
    case gone
  }

  private struct Hold {
    var supervisor: luath_warden
    var isClosed = false
    var state = State.running
    var process: Int32?
    var hasReport = true
  }

  private let hold: Guarded<Hold>
  private let folder: String?

  /// Starts a program; its output goes to an open file.
  ///
  /// - Parameters:
  ///   - arguments: the arguments without the program's name.
  ///   - environment: the whole environment, as NAME=VALUE.
  ///   - input: an open file, which the caller must close; nil for an empty input.
  ///   - output: the caller must close it.
  ///   - folder: removed when all processes have ended.
  package convenience init(
    program: String, arguments: [String], environment: [String], input: Int32? = nil,
    output: Int32, folder: String?
  ) throws(SystemError) {
    try self.init(
      SupervisedProgram(
        path: program, arguments: [program] + arguments, environment: environment, folder: folder,
        input: input, output: output))
  }

  /// Starts a program.
  package init(_ program: SupervisedProgram) throws(SystemError) {
    hold = Guarded(Hold(supervisor: try program.start()))
    folder = program.folder
  }

  deinit {
    close()
    hold.withLock { hold in
      if hold.hasReport { Glibc.close(hold.supervisor.report) }
    }
  }

  package var state: State { hold.withLock { Self.update(&$0) } }

  /// Makes the warden end the program and its descendants; returns at once.
  package func close() {
    let process = hold.withLock { hold -> pid_t? in
      guard !hold.isClosed else { return nil }
      hold.isClosed = true
      Glibc.close(hold.supervisor.leash)
      return hold.supervisor.process
    }
    if let process { bury(process, folder: folder) }
  }

  /// Sends a signal to the program, or to its process group if it has one.
  package func send(signal: Int32) {
    hold.withLock { hold in
      if !hold.isClosed { luath_warden_signal(&hold.supervisor, signal) }
    }
  }

  /// Ends the program and its descendants by SIGKILL; returns at once.
  package func kill() {
    hold.withLock { hold in
      if !hold.isClosed { luath_warden_kill(&hold.supervisor) }
    }
  }

  /// Waits for the next report; blocks the thread, which must be the only one that waits.
  package func nextReport() -> Report {
    while true {
      var (supervisor, hasReport) = hold.withLock { ($0.supervisor, $0.hasReport) }
      guard hasReport else { return .gone }
      luath_warden_wait(&supervisor)
      if let report = hold.withLock({ Self.report(&$0) }) { return report }
    }
  }

  private static func update(_ hold: inout Hold) -> State {
    while report(&hold) != nil {}
    return hold.state
  }

  /// Reads the next report; nil when there is none yet, and after the last one.
  private static func report(_ hold: inout Hold) -> Report? {
    guard hold.hasReport else { return nil }
    var value: Int32 = 0
    switch luath_warden_read(&hold.supervisor, &value) {
    case LUATH_WARDEN_PROGRAM_STARTED:
      hold.process = value
      return .started(process: value)
    case LUATH_WARDEN_PROGRAM_STOPPED: return .stopped(signal: value)
    case LUATH_WARDEN_NOT_STARTED:
      hold.state = .notStarted(SystemError(value))
      return .notStarted(SystemError(value))
    case LUATH_WARDEN_PROGRAM_ENDED:
      let code = luath_exit_code(value)
      if hold.state == .running { hold.state = .ended(code: code) }
      // The termination signal is in the low seven bits of a status (waitpid).
      let signal = value & 0x7F
      return .ended(code: code, signal: signal == 0 ? nil : signal)
    case LUATH_WARDEN_ENDED:
      // Keep the result of a program that ended by itself.
      if hold.state == .running { hold.state = .gone }
      hold.hasReport = false
      Glibc.close(hold.supervisor.report)
      return .gone
    default: return nil
    }
  }

  /// The number of the process; nil until the warden has reported it.
  package var process: Int32? {
    hold.withLock { hold in
      _ = Self.update(&hold)
      return hold.process
    }
  }

  /// Whether the warden has ended, which it does when all processes have ended.
  package var isGone: Bool {
    hold.withLock { hold in
      _ = Self.update(&hold)
      return !hold.hasReport
    }
  }
}

/// A program for a `ProcessSupervisor`, and what it inherits.
package struct SupervisedProgram: Sendable {
  /// The path of the program; luath does not search for it.
  package var path: String
  /// The arguments, with the program's name.
  package var arguments: [String]
  /// The whole environment, as NAME=VALUE.
  package var environment: [String]
  /// The working folder; nil for the current one.
  package var directory: String?
  /// Removed when all processes have ended; nil for none.
  package var folder: String?
  /// Open files, which the caller must close; nil for an empty input, and for errors that go to the output.
  package var input: Int32?
  package var output: Int32
  package var errors: Int32?
  /// Whether the program leads a new process group, to which signals go.
  package var hasGroup = false
  /// Whether the program stays in the session with its terminal, and inherits the standard streams in place of
  /// the files above, and the other descriptors that luath inherited.
  package var isForeground = false
  /// The terminal whose foreground process group the program becomes.
  package var terminal: Int32?
  /// How long descendants have between SIGTERM and SIGKILL.
  package var grace = Duration.milliseconds(100)

  package init(
    path: String, arguments: [String], environment: [String], folder: String? = nil,
    input: Int32? = nil, output: Int32 = STDOUT_FILENO
  ) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
    self.folder = folder
    self.input = input
    self.output = output
  }

  fileprivate func start() throws(SystemError) -> luath_warden {
    let none = Int32(LUATH_WARDEN_NONE)
    var start = luath_warden_program()
    start.input = input ?? none
    start.output = output
    start.errors = errors ?? none
    start.has_group = hasGroup
    start.is_foreground = isForeground
    start.terminal = terminal ?? none
    start.grace = Int32(grace / .milliseconds(1))
    var warden = luath_warden()
    // Copied, as an array's storage may only be used inside a closure.
    let texts = [path, directory, folder].map { $0.map { strdup($0) } ?? nil }
    defer { for text in texts { free(text) } }
    start.path = UnsafePointer(texts[0])
    start.directory = UnsafePointer(texts[1])
    start.folder = UnsafePointer(texts[2])
    let error = withCStrings(arguments) { arguments in
      withCStrings(environment) { environment in
        arguments.withUnsafeBufferPointer { arguments in
          environment.withUnsafeBufferPointer { environment in
            start.arguments = arguments.baseAddress
            start.environment = environment.baseAddress
            return luath_warden_start(&start, &warden)
          }
        }
      }
    }
    guard error == 0 else { throw SystemError(error) }
    return warden
  }
}

/// Reaps a warden in a thread, so that it does not remain as a zombie.
private func bury(_ process: pid_t, folder: String?) {
  do throws(SystemError) {
    try SystemThread.start { luath_warden_bury(process, folder) }
  } catch {
    // Without a thread, wait here; that is short, because the leash is closed.
    luath_warden_bury(process, folder)
  }
}

/// Passes strings as a null-terminated array of C strings.
private func withCStrings<Result>(
  _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let strings = texts.map { strdup($0) } + [nil]
  defer { for string in strings { free(string) } }
  return body(strings)
}
