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

  private struct Hold {
    var supervisor: luath_warden
    var isClosed = false
    var state = State.running
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
  package init(
    program: String, arguments: [String], environment: [String], input: Int32? = nil,
    output: Int32, folder: String?
  ) throws(SystemError) {
    var supervisor = luath_warden()
    let error = withCStrings([program] + arguments) { arguments in
      withCStrings(environment) { environment in
        luath_warden_start(
          program, arguments, environment, input ?? -1, output, folder, &supervisor)
      }
    }
    guard error == 0 else { throw SystemError(error) }
    hold = Guarded(Hold(supervisor: supervisor))
    self.folder = folder
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

  private static func update(_ hold: inout Hold) -> State {
    var value: Int32 = 0
    while hold.hasReport {
      switch luath_warden_read(&hold.supervisor, &value) {
      case LUATH_WARDEN_NOT_STARTED:
        hold.state = .notStarted(SystemError(value))
      case LUATH_WARDEN_PROGRAM_ENDED:
        if hold.state == .running { hold.state = .ended(code: luath_exit_code(value)) }
      case LUATH_WARDEN_ENDED:
        // Keep the result of a program that ended by itself.
        if hold.state == .running { hold.state = .gone }
        hold.hasReport = false
        Glibc.close(hold.supervisor.report)
      default: return hold.state
      }
    }
    return hold.state
  }

  /// Whether the warden has ended, which it does when all processes have ended.
  var isGone: Bool {
    hold.withLock { hold in
      _ = Self.update(&hold)
      return !hold.hasReport
    }
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

struct ProcessEnvironment: Sendable {
  private var variables: [String: String]

  init(_ variables: [String: String]) { self.variables = variables }

  static var current: ProcessEnvironment {
    var variables: [String: String] = [:]
    var entry = Glibc.environ
    while let line = entry.pointee {
      let pair = String(cString: line).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
      entry += 1
    }
    return ProcessEnvironment(variables)
  }

  /// The value of a variable; nil when it is unset or empty.
  subscript(name: String) -> String? {
    get { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    set { variables[name] = newValue }
  }

  /// All variables as NAME=VALUE.
  var lines: [String] { variables.map { "\($0.key)=\($0.value)" } }

  /// Returns the path of the first of these programs that is in PATH.
  func program(_ names: [String]) -> String? {
    let folders = (self["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    for name in names {
      for folder in folders where Self.isProgram("\(folder)/\(name)") { return "\(folder)/\(name)" }
    }
    return nil
  }

  static func isProgram(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
}
