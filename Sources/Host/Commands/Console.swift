public import System
public import SignIn
@preconcurrency import Glibc
import Synchronization

/// The interface to the process: arguments, environment, streams.
public struct Console: Sendable {
  /// The arguments after the program's name.
  public var arguments: [String]
  /// The environment variables.
  public var environment: [String: String]
  /// The folder from which relative paths start.
  public var folder: String
  /// Writes results to standard output.
  ///
  /// A failed write makes the command fail at its end.
  public var writeOutput: @Sendable (String) -> Void
  /// Writes results whose loss the caller handles; returns 0 or an errno value.
  public var sendOutput: @Sendable (String) -> Int32
  /// Writes a line to standard output only if it can be written without blocking.
  public var offerOutput: @Sendable (String) -> Void
  /// Writes errors, warnings and traces to standard error.
  public var writeError: @Sendable (String) -> Void
  /// Flushes the script's output; false if some of it is lost.
  public var flushOutput: @Sendable () -> Bool
  /// The errno value of the first failed result write that was not reported; 0 for none.
  public var lostOutput: @Sendable () -> Int32 = { 0 }
  /// The width of the terminal at standard output; nil if it is not a terminal.
  public var outputColumns: Int?
  /// The current width of the terminal; 80 if unknown.
  public var inputColumns: @Sendable () -> Int = { 80 }
  /// The kind of standard input.
  public var input = Input.nothing
  /// The terminal for interactive sign-ins.
  public var terminal: SignInTerminal?
  /// Ends the process at once with a message, for work that cannot be stopped otherwise.
  public var abandon: @Sendable (ExitCode, String) -> Void

  /// Whether a user types at the terminal where results are shown.
  public var isInteractive: Bool { input == .terminal && outputColumns != nil }

  /// The kinds of standard input.
  public enum Input: Sendable {
    case terminal
    /// A pipe, socket or file.
    case content
    /// /dev/null, another device, or closed.
    case nothing
  }

  /// The console of this process.
  public static func live() -> Console {
    ClosedStreams.occupy()
    BrokenPipe.watch()
    // A write beyond `ulimit -f` fails like one to a full disk, instead of ending the process. Programs that luath
    // starts inherit no handler.
    signal(SIGXFSZ) { _ in }
    var environment: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let pair = String(cString: text).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { environment[String(pair[0])] = String(pair[1]) }
      entry += 1
    }
    let lost = LostOutput()
    return Console(
      arguments: Array(ProcessArguments.all.dropFirst()), environment: environment,
      folder: currentFolder(),
      writeOutput: { lost.note(write($0, to: STDOUT_FILENO)) },
      sendOutput: { write($0, to: STDOUT_FILENO) },
      offerOutput: { offer($0, to: STDOUT_FILENO) },
      writeError: { _ = write($0, to: STDERR_FILENO) },
      flushOutput: { fflush(stdout) == 0 && ferror(stdout) == 0 },
      lostOutput: { lost.number },
      outputColumns: columns(of: STDOUT_FILENO),
      inputColumns: { width(of: STDOUT_FILENO) ?? 80 }, input: standardInput,
      terminal: terminal,
      abandon: { code, words in
        // The stuck thread may hold the stream's lock, and the reader of the pipe may not read, so do not block.
        if ftrylockfile(stdout) == 0 {
          var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
          if poll(&output, 1, 0) == 1 { fflush(stdout) }
        }
        _ = writeBytes(words, to: STDERR_FILENO)
        _exit(code.rawValue)
      })
  }

  private static var standardInput: Input {
    if isatty(STDIN_FILENO) == 1 { return .terminal }
    var facts = stat()
    guard fstat(STDIN_FILENO, &facts) == 0 else { return .nothing }
    let hasContent = [S_IFREG, S_IFIFO, S_IFSOCK].contains(facts.st_mode & S_IFMT)
    return hasContent ? .content : .nothing
  }

  private static var terminal: SignInTerminal {
    let isShown = isatty(STDERR_FILENO) == 1
    let isTyped = isatty(STDIN_FILENO) == 1
    return SignInTerminal(
      isInteractive: isShown && isTyped,
      columns: width(of: STDERR_FILENO),
      write: { _ = write($0, to: STDERR_FILENO) },
      readLine: { await StandardInputReader.line(isTyped: isTyped) }
    )
  }

  /// The width of a terminal, 80 if unknown; nil if it is not a terminal.
  private static func columns(of descriptor: Int32) -> Int? {
    isatty(descriptor) == 1 ? width(of: descriptor) ?? 80 : nil
  }

  private static func width(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_col > 0
    else { return nil }
    return Int(size.ws_col)
  }

  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    // Flush Lua's earlier output from C's buffer first.
    fflush(stdout)
    return writeBytes(text, to: descriptor)
  }

  /// Writes all of the text; returns 0 or an errno value.
  private static func writeBytes(_ text: String, to descriptor: Int32) -> Int32 {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return errno }
      rest = rest.dropFirst(count)
    }
    return 0
  }

  /// Writes only what fits without blocking: a full pipe that nobody reads must not block the writer.
  private static func offer(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&output, 1, 0) == 1, output.revents & Int16(POLLOUT) != 0 else { return }
      // A pipe that is ready accepts PIPE_BUF bytes without blocking (pipe(7)).
      let piece = rest.prefix(Int(PIPE_BUF))
      let count = piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func currentFolder() -> String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }

  /// Reports an error: what happened, then a hint.
  public func report(_ message: String, hint: String? = nil) {
    writeError(Self.words(message, hint: hint))
  }

  /// Prints a warning; the command continues.
  public func warn(_ message: String, hint: String) {
    writeError("luath: warning: \(message)\n  hint: \(hint)\n")
  }

  /// An error message with its excerpt and hint, as printed.
  public static func words(_ message: String, excerpt: String = "", hint: String?) -> String {
    let hint = hint ?? ""
    return "luath: error: \(message)\n" + excerpt + (hint.isEmpty ? "" : "  hint: \(hint)\n")
  }

  /// The absolute path, relative to the console's folder.
  public func whole(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(folder)/\(path)"
  }

  /// Reads a file of at most `limit` bytes.
  public func read(_ path: String, limit: Int = 64 << 20) -> Result<[UInt8], SystemError> {
    let whole = whole(path)
    guard !path.isEmpty else { return .failure(SystemError(ENOENT)) }
    var facts = stat()
    guard stat(whole, &facts) == 0 else { return .failure(SystemError(errno)) }
    guard facts.st_mode & S_IFMT != S_IFDIR else { return .failure(SystemError(EISDIR)) }
    return Result { () throws(SystemError) in try WholeFile.read(whole, atMost: limit) }
  }

  /// Reads standard input to its end; at most `limit` bytes.
  public func readInput(limit: Int = 64 << 20) -> Result<[UInt8], SystemError> {
    Result { () throws(SystemError) in try WholeFile.read(STDIN_FILENO, atMost: limit) }
  }
}

/// The first error of a write to standard output.
private final class LostOutput: Sendable {
  private let first = Atomic<Int32>(0)

  var number: Int32 { first.load(ordering: .relaxed) }

  func note(_ number: Int32) {
    // Ignore errors of a pipe or terminal that was closed.
    guard number != 0, number != EPIPE, number != EIO || !Self.isDevice else { return }
    _ = first.compareExchange(expected: 0, desired: number, ordering: .relaxed)
  }

  private static var isDevice: Bool {
    var facts = stat()
    return fstat(STDOUT_FILENO, &facts) == 0 && facts.st_mode & S_IFMT == S_IFCHR
  }
}

/// Handles SIGPIPE when the reader of luath's output ends, as in `luath run FILE | head -1`.
enum BrokenPipe {
  private static let endsProcess = Atomic<Bool>(true)

  /// Lets the process continue after a broken pipe, for work that must end in an orderly way.
  static func outlive() { endsProcess.store(false, ordering: .relaxed) }

  /// Lets a broken standard output end the process, as in other programs; a write to a broken connection only fails.
  static func watch() {
    // The handler uses only async-signal-safe functions.
    signal(SIGPIPE) { _ in
      let saved = errno
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      if BrokenPipe.endsProcess.load(ordering: .relaxed), poll(&output, 1, 0) == 1,
        output.revents & Int16(POLLERR) != 0
      {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
      }
      errno = saved
    }
  }
}

/// Handles a start with standard streams closed, as in `luath batch plan … <&-`.
enum ClosedStreams {
  /// Prevents files opened later from getting the descriptor numbers of closed streams.
  ///
  /// Opens each stream in the wrong direction, so that reading or writing fails as on a closed one.
  static func occupy() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ] where fcntl(descriptor, F_GETFD) == -1 {
      // open(2) returns the lowest free descriptor, which is this one.
      _ = open("/dev/null", mode)
    }
  }
}
