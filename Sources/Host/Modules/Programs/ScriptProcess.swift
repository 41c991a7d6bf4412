import Glibc
import HTTP
import Lua
import SignIn
import System

/// A program that a script has started, with its output in files without names.
final class ScriptProcess {
  /// How often the program is looked at while the script waits.
  private static let round = Duration.milliseconds(5)
  /// How many pieces of its output are searched before the script goes on waiting.
  private static let piecesOfRound = 2
  /// How long the program and its descendants have between SIGTERM and SIGKILL when their scope ends.
  private static let grace = Duration.milliseconds(200)

  let name: String
  private let supervisor: ProcessSupervisor
  private var output: PrintedStream
  private var errors: PrintedStream
  private let loop: EventLoop
  private weak var interpreter: Interpreter?
  private var number: Int?

  /// Starts a program.
  ///
  /// - Parameter input: The text on its standard input.
  init(
    _ program: SupervisedProgram, name: String, input: [UInt8], _ interpreter: Interpreter
  ) throws(SystemError) {
    let folder = interpreter.context.environment["TMPDIR"]
    var files: [Int32] = []
    do throws(SystemError) {
      for _ in 0..<3 { files.append(try TemporaryFile.open(in: folder)) }
      var program = program
      if !input.isEmpty {
        try Self.fill(files[2], input)
        program.input = files[2]
      }
      program.output = files[0]
      program.errors = files[1]
      program.hasGroup = true
      program.grace = Self.grace
      supervisor = try ProcessSupervisor(program)
    } catch {
      for file in files { close(file) }
      throw error
    }
    close(files[2])
    output = PrintedStream(file: files[0])
    errors = PrintedStream(file: files[1])
    loop = interpreter.actor.loop
    self.name = name
    self.interpreter = interpreter
    let (supervisor, loop) = (supervisor, loop)
    number = interpreter.resources.add { await Self.end(supervisor, loop) }
  }

  deinit {
    beginEnd()
    close(output.file)
    close(errors.file)
  }

  private static func fill(_ file: Int32, _ bytes: [UInt8]) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(errno) }
      rest = rest.dropFirst(count)
    }
    lseek(file, 0, SEEK_SET)
  }

  // MARK: State

  var outputBytes: [UInt8] { output.end }
  var errorBytes: [UInt8] { errors.end }
  var process: Int32? { supervisor.process }

  /// The exit code: 128 plus the number of a signal; nil while the program runs.
  var exitCode: Int32? {
    switch supervisor.state {
    case .running: nil
    case .ended(let code): code
    case .notStarted: 127
    case .gone: 128 + SIGKILL
    }
  }

  // MARK: Waiting

  /// Waits for the end of the program.
  func wait(within limit: Duration?) async throws(LuaError) -> Int32 {
    try await wait(within: limit, for: "end") { exitCode }
  }

  /// Waits for the next line of output or errors that contains a text.
  func waitForLine(_ text: String, within limit: Duration) async throws(LuaError) -> String {
    try await wait(within: limit, for: "print \"\(text.printable)\"") { () throws(LuaError) in
      let code = exitCode
      // Read after the state: the program writes all its output before it ends. Only so much at a time, because a program
      // may print faster than it is read, and the time limit has to end this.
      for _ in 0..<Self.piecesOfRound {
        while let line = output.line() ?? errors.line() {
          if text.isEmpty || line.contains(text) { return line }
        }
        let hasOutput = output.readPiece()
        let hasErrors = errors.readPiece()
        guard hasOutput || hasErrors else {
          guard let code else { return nil }
          while let line = output.lastLine() ?? errors.lastLine() {
            if text.isEmpty || line.contains(text) { return line }
          }
          throw ended(code, before: "printed \"\(text.printable)\"")
        }
      }
      return nil
    }
  }

  /// Waits until a program listens on a port of this machine.
  func waitForPort(_ port: UInt16, within limit: Duration) async throws(LuaError) {
    try await wait(within: limit, for: "listen on port \(port)") { () throws(LuaError) -> Void? in
      if let code = exitCode { throw ended(code, before: "listened on port \(port)") }
      guard let process, LoopbackPort.accepts(port) else { return nil }
      if let other = LoopbackPort.earlierListener(on: port, than: process) {
        throw .object([
          ("code", .string("portInUse")),
          (
            "message",
            .string(
              "port \(port) belongs to process \(other), which ran before \(name.printable) started"
            )
          ),
          ("hint", .string("end that process, or have the program listen on another port")),
        ])
      }
      return ()
    }
  }

  private func wait<Value>(
    within limit: Duration?, for event: String, _ check: () throws(LuaError) -> Value?
  ) async throws(LuaError) -> Value {
    let deadline = limit.map { ContinuousClock.now + $0 }
    while true {
      if case .notStarted(let error) = supervisor.state { throw Self.notStarted(name, error.words) }
      if let value = try check() { return value }
      if let deadline, ContinuousClock.now >= deadline {
        throw .object([
          ("code", .string("timedOut")),
          ("message", .string("\(name.printable) did not \(event) in time")),
          ("hint", .string("allow more time, or look at what it prints\(lastWords)")),
        ])
      }
      do { try await loop.sleep(for: Self.round) } catch { throw TaskErrors.cancelled }
    }
  }

  private func ended(_ code: Int32, before event: String) -> LuaError {
    .object([
      ("code", .string("processEnded")),
      (
        "message",
        .string("\(name.printable) ended with exit code \(code) before it \(event)")
      ),
      ("hint", .string("look at output and errors of the process\(lastWords)")),
      ("exitCode", .integer(Int64(code))),
    ])
  }

  /// The last line that the program has printed, for a hint: to its errors, or else to its output.
  private var lastWords: String {
    for file in [errors.file, output.file] {
      let end = TemporaryFile.read(
        file, from: max(0, TemporaryFile.size(of: file) - 1024), atMost: 1024)
      let lines = String(decoding: end, as: UTF8.self).split(whereSeparator: \.isNewline)
      if let last = lines.last(where: { !$0.allSatisfy(\.isWhitespace) }) {
        return "; its last line is: \(String(last.suffix(200)).printable)"
      }
    }
    return ""
  }

  static func notStarted(_ name: String, _ reason: String) -> LuaError {
    .object([
      ("code", .string("processNotStarted")),
      ("message", .string("\(name.printable) cannot be started: \(reason)")),
      ("hint", .string("check the name, PATH and the option cwd")),
    ])
  }

  // MARK: Ending

  /// Sends a signal to the program and its process group.
  func send(_ signal: Int32) { supervisor.send(signal: signal) }

  /// Ends the program by SIGTERM, after the limit by SIGKILL, and then all that it has left.
  func stop(within limit: Duration) async throws(LuaError) -> Int32 {
    supervisor.send(signal: SIGTERM)
    supervisor.send(signal: SIGCONT)
    let deadline = ContinuousClock.now + limit
    while exitCode == nil, ContinuousClock.now < deadline {
      do { try await loop.sleep(for: Self.round) } catch { throw TaskErrors.cancelled }
    }
    if exitCode == nil { supervisor.kill() }
    while !supervisor.isGone {
      do { try await loop.sleep(for: Self.round) } catch { throw TaskErrors.cancelled }
    }
    beginEnd()
    return exitCode ?? 128 + SIGKILL
  }

  /// Starts to end the program, without waiting.
  func beginEnd() {
    guard let number, let interpreter else { return }
    self.number = nil
    interpreter.resources.beginEnd(number, interpreter)
  }

  /// Ends the program and its descendants; waits a little longer than they have.
  private static func end(_ supervisor: ProcessSupervisor, _ loop: EventLoop) async {
    supervisor.close()
    let deadline = ContinuousClock.now + grace * 2
    while !supervisor.isGone, ContinuousClock.now < deadline {
      guard await loop.restAnyway(for: .milliseconds(2)) else { return }
    }
  }
}
