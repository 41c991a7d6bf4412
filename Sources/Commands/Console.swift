@preconcurrency import Glibc
import Synchronization
public import Delegates

/// All that touches the process: arguments, environment, streams.
public struct Console: Sendable {
  /// The arguments after the program's name.
  public var arguments: [String]
  /// The environment variables.
  public var environment: [String: String]
  /// The folder relative paths start from.
  public var folder: String
  /// Writes text for the person or program that asked: results.
  ///
  /// What is lost makes the command fail at its end.
  public var writeOutput: @Sendable (String) -> Void
  /// Writes results whose loss is an error; gives 0, or the number of the error (errno(3)).
  public var sendOutput: @Sendable (String) -> Int32
  /// Writes a line for whoever may be reading along, and drops it when nobody does.
  public var offerOutput: @Sendable (String) -> Void
  /// Writes text about the run: errors, traces.
  public var writeError: @Sendable (String) -> Void
  /// Brings out what the script printed; false when some of it is lost.
  public var flushOutput: @Sendable () -> Bool
  /// The number of the error (errno(3)) by which results were lost that nobody has told of; 0 for none.
  public var lostOutput: @Sendable () -> Int32 = { 0 }
  /// The width of the terminal that the results go to; nil when they go elsewhere.
  public var outputColumns: Int?
  /// The width of the terminal by now; 80 when there is none or it tells none.
  public var inputColumns: @Sendable () -> Int = { 80 }
  /// What standard input is.
  public var input = Input.nothing
  /// The person at the terminal.
  public var terminal: SignInTerminal?
  /// Ends the process at once with last words, for work that cannot be stopped otherwise.
  public var abandon: @Sendable (ExitCode, String) -> Void

  /// What standard input can be.
  public enum Input: Sendable {
    /// A person types.
    case terminal
    /// A pipe or a file, which may hold something.
    case content
    /// /dev/null or another device, or closed.
    case nothing
  }

  /// The console of this process.
  public static func live() -> Console {
    ClosedStreams.occupy()
    BrokenPipe.watch()
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
      arguments: Array(CommandLine.arguments.dropFirst()), environment: environment,
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
        // The stuck thread may hold the stream, or the reader of the pipe may be stuck as well.
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
      readLine: { await LineReader.line(isTyped: isTyped) }
    )
  }

  /// The width of a terminal, 80 when it tells none; nil when it is no terminal.
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
    // What Lua printed stands in C's buffer and came first.
    fflush(stdout)
    return writeBytes(text, to: descriptor)
  }

  /// Writes all of it; gives 0, or the number of the error that kept it from doing so.
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

  /// Writes only what fits at once: a full pipe that nobody reads must not hold up the writer.
  private static func offer(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&output, 1, 0) == 1, output.revents & Int16(POLLOUT) != 0 else { return }
      // A pipe that is ready takes this much without blocking (pipe(7)).
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

  /// Reports an error in the form of all commands: what happened, then what to do.
  func report(_ message: String, hint: String? = nil) {
    writeError(Self.words(message, hint: hint))
  }

  /// Says what a person should know of a command that goes on.
  func warn(_ message: String, hint: String) {
    writeError("luath: warning: \(message)\n  hint: \(hint)\n")
  }

  static func words(_ message: String, excerpt: String = "", hint: String?) -> String {
    let hint = hint ?? ""
    return "luath: error: \(message)\n" + excerpt + (hint.isEmpty ? "" : "  hint: \(hint)\n")
  }

  /// A path that starts from the console's folder, unless it starts from the root.
  func whole(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(folder)/\(path)"
  }

  /// Reads a file of at most `limit` bytes, or says why not.
  func read(_ path: String, limit: Int = 64 << 20) -> Result<[UInt8], FileProblem> {
    let whole = whole(path)
    guard !path.isEmpty else { return .failure(FileProblem(ENOENT)) }
    var facts = stat()
    guard stat(whole, &facts) == 0 else { return .failure(FileProblem(errno)) }
    guard facts.st_mode & S_IFMT != S_IFDIR else { return .failure(FileProblem(EISDIR)) }
    guard let file = fopen(whole, "rb") else { return .failure(FileProblem(errno)) }
    defer { fclose(file) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      content += buffer[..<count]
      if content.count > limit { return .failure(FileProblem(EFBIG)) }
    }
    return ferror(file) == 0 ? .success(content) : .failure(FileProblem(errno))
  }
}

/// The first error by which results were lost.
private final class LostOutput: Sendable {
  private let first = Atomic<Int32>(0)

  var number: Int32 { first.load(ordering: .relaxed) }

  func note(_ number: Int32) {
    // A reader that went away, or a terminal that did, wants nothing any more.
    guard number != 0, number != EPIPE, number != EIO || !Self.isDevice else { return }
    _ = first.compareExchange(expected: 0, desired: number, ordering: .relaxed)
  }

  private static var isDevice: Bool {
    var facts = stat()
    return fstat(STDOUT_FILENO, &facts) == 0 && facts.st_mode & S_IFMT == S_IFCHR
  }
}

/// Why a file could not be read, in the system's words.
struct FileProblem: Error {
  let words: String

  init(_ number: Int32) { words = String(cString: strerror(number)).lowercased() }
}
