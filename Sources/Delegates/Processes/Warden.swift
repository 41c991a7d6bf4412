internal import CShims
internal import Glibc
internal import HTTP

/// A program that cannot outlive this process, nor leave anything behind.
///
/// It is started by a warden, a process of its own that holds one end of a pipe, the leash. When the
/// leash is let go, by `close` or because this process ended in whatever way, the warden ends the
/// program with all its descendants and removes their folder.
final class Warden: Sendable {
  /// Why a program could not be started, as `errno` has it.
  struct StartFailure: Error, Equatable {
    let errorNumber: Int32

    /// The system's words for it.
    var words: String { String(cString: strerror(errorNumber)).lowercased() }
  }

  /// How the program fares.
  enum State: Equatable {
    /// It was started, as far as is known.
    case running
    /// It could not be started.
    case notStarted(StartFailure)
    /// It ended by itself: its exit code, or 128 and the number of the signal.
    case ended(code: Int32)
    /// It was ended, and nothing of it is left.
    case gone
  }

  private struct Hold {
    var warden: luath_warden
    var isClosed = false
    var state = State.running
    var hasReport = true
  }

  private let hold: Guarded<Hold>
  private let folder: String?

  /// Starts a program, which has no input and whose output goes to an open file.
  ///
  /// - Parameters:
  ///   - arguments: the arguments without the program's own name.
  ///   - environment: the whole environment, as NAME=VALUE.
  ///   - output: stays the caller's to close.
  ///   - folder: what is removed when all has ended.
  init(
    program: String, arguments: [String], environment: [String], output: Int32, folder: String?
  ) throws(StartFailure) {
    var warden = luath_warden()
    let error = withCStrings([program] + arguments) { arguments in
      withCStrings(environment) { environment in
        luath_warden_start(program, arguments, environment, output, folder, &warden)
      }
    }
    guard error == 0 else { throw StartFailure(errorNumber: error) }
    hold = Guarded(Hold(warden: warden))
    self.folder = folder
  }

  deinit {
    close()
    hold.withLock { hold in
      if hold.hasReport { Glibc.close(hold.warden.report) }
    }
  }

  /// How the program fares at this moment.
  var state: State { hold.withLock { Self.update(&$0) } }

  /// Has the warden end the program and all that came of it; returns at once.
  func close() {
    let process = hold.withLock { hold -> pid_t? in
      guard !hold.isClosed else { return nil }
      hold.isClosed = true
      Glibc.close(hold.warden.leash)
      return hold.warden.process
    }
    if let process { bury(process, folder: folder) }
  }

  private static func update(_ hold: inout Hold) -> State {
    var value: Int32 = 0
    while hold.hasReport {
      switch luath_warden_read(&hold.warden, &value) {
      case LUATH_WARDEN_NOT_STARTED:
        hold.state = .notStarted(StartFailure(errorNumber: value))
      case LUATH_WARDEN_PROGRAM_ENDED:
        if hold.state == .running { hold.state = .ended(code: luath_exit_code(value)) }
      case LUATH_WARDEN_ENDED:
        // What ended by itself stays known as that.
        if hold.state == .running { hold.state = .gone }
        hold.hasReport = false
        Glibc.close(hold.warden.report)
      default: return hold.state
      }
    }
    return hold.state
  }

  /// Whether the warden has ended too, which it does when nothing is left.
  var isGone: Bool {
    hold.withLock { hold in
      _ = Self.update(&hold)
      return !hold.hasReport
    }
  }
}

/// Waits for a warden on a thread of its own, so that it does not stay behind as a zombie.
private func bury(_ process: pid_t, folder: String?) {
  final class Burial {
    let process: pid_t
    let folder: String?
    init(_ process: pid_t, _ folder: String?) {
      self.process = process
      self.folder = folder
    }
  }
  let burial = Unmanaged.passRetained(Burial(process, folder))
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { context in
      guard let context else { return nil }
      let burial = Unmanaged<Burial>.fromOpaque(context).takeRetainedValue()
      luath_warden_bury(burial.process, burial.folder)
      return nil
    }, burial.toOpaque())
  guard status != 0 else {
    pthread_detach(thread)
    return
  }
  // Without a thread the wait is done here; it is short, as the leash is gone.
  burial.release()
  luath_warden_bury(process, folder)
}

/// Lends texts as a null-terminated array of C strings.
private func withCStrings<Result>(
  _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let strings = texts.map { strdup($0) } + [nil]
  defer { for string in strings { free(string) } }
  return body(strings)
}
