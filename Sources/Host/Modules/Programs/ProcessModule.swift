import Glibc
import HTTP
import IdentityToolkit
import Lua
import SignIn
import System

enum ProcessModule {
  static func make(_ interpreter: Interpreter) -> Module {
    let processClass = interpreter.classes.process
    let methods = members(interpreter)
    var process = Declarations(interpreter, owner: "process")
    process.add(
      "start",
      "Starts a program, which ends with process:stop() or the script, with all its descendants.",
      [
        LuaParameter("program", .string, "its name in PATH, or a path"),
        LuaParameter("arguments", .list(.string), optional: true, "without the program's name"),
        LuaParameter("options", .options(options), optional: true),
      ], returns: "Process"
    ) { [unowned interpreter] call throws(LuaError) in
      call.push(.object(processClass, try start(call, interpreter)))
      return .results(1)
    }
    return Module(
      "luath.process", "Programs that a script starts, and that end with it.", process.list,
      classes: [(processClass, methods)])
  }

  private static var options: [LuaParameter] {
    [
      LuaParameter("env", .map(.string), optional: true, "variables besides those of luath"),
      LuaParameter("cwd", .string, optional: true, "the working folder"),
      LuaParameter("input", .bytes, optional: true, "what it reads from standard input; nothing"),
    ]
  }

  private static func start(
    _ call: LuaCall, _ interpreter: Interpreter
  ) throws(LuaError) -> ScriptProcess {
    let name = call.string(1) ?? ""
    let folder = call.isTable(3) ? call.field(3, "cwd") { $0.string($1) } : nil
    if let folder {
      var facts = stat()
      guard stat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
        throw ScriptProcess.notStarted(name, "its folder \(folder.printable) does not exist")
      }
    }
    var environment = interpreter.context.environment
    let target = interpreter.context.target
    if case .emulator(let url) = target.backend {
      environment = EmulatorVariables.added(
        to: environment, address: "\(url.host):\(url.port)", project: target.projectID)
    }
    var input: [UInt8] = []
    if call.isTable(3) {
      for (key, value) in call.field(3, "env", { $0.stringPairs($1) }) {
        guard !key.isEmpty, !key.contains("="), !key.contains("\0"), !value.contains("\0") else {
          throw .message("option 'env': '\(key.printable)' cannot be set as a variable")
        }
        environment[key] = value
      }
      input = call.field(3, "input") { $0.bytes($1) } ?? []
    }
    let path: String
    switch ProgramSearch(name, path: environment["PATH"], from: folder ?? ".") {
    case .found(let found): path = found
    case .notExecutable: throw ScriptProcess.notStarted(name, "it is not an executable file")
    case .missing: throw ScriptProcess.notStarted(name, "there is no such program")
    }
    let count = call.isTable(2) ? call.length(2) : 0
    let arguments = (0..<count).map { index in call.item(2, index + 1) { $0.string($1) ?? "" } }
    guard !(arguments + [name]).contains(where: { $0.contains("\0") }) else {
      throw .message("bad argument #2 to 'start' (an argument contains a zero byte)")
    }
    var program = SupervisedProgram(
      path: path, arguments: [name] + arguments,
      environment: environment.map { "\($0.key)=\($0.value)" })
    program.directory = folder
    do throws(SystemError) {
      return try ScriptProcess(program, name: name, input: input, interpreter)
    } catch {
      throw ScriptProcess.notStarted(name, error.words)
    }
  }

  private static var limit: LuaParameter {
    LuaParameter(
      "options",
      .options([LuaParameter("timeout", .number, optional: true, "seconds to wait; 30")]),
      optional: true)
  }

  private static func members(_ interpreter: Interpreter) -> [Declaration] {
    let processClass = interpreter.classes.process
    var methods = Declarations(interpreter, owner: "process", type: processClass)
    methods.wait(
      "wait", "Waits until the program has ended.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter("timeout", .number, optional: true, "seconds to wait; no limit")
          ]), optional: true)
      ], returns: "integer"
    ) { call throws(LuaError) in
      let process = try process(call)
      let limit = try timeout(call, 2)
      return { () async throws(LuaError) in
        [.integer(Int64(try await process.wait(within: limit)))]
      }
    }
    methods.wait(
      "waitForLine", "Waits for the next line of output or errors that contains a text.",
      [LuaParameter("text", .string, "plain text; \"\" for any line"), limit], returns: "string"
    ) { call throws(LuaError) in
      let process = try process(call)
      let text = call.string(2) ?? ""
      let limit = try timeout(call, 3) ?? .seconds(30)
      return { () async throws(LuaError) in
        [.string(try await process.waitForLine(text, within: limit))]
      }
    }
    methods.wait(
      "waitForPort", "Waits until a program listens on a port of this machine.",
      [LuaParameter("port", .integer, "from 1 to 65535"), limit]
    ) { call throws(LuaError) in
      let process = try process(call)
      guard let port = call.integer(2).flatMap({ UInt16(exactly: $0) }), port > 0 else {
        throw .message("bad argument #1 to 'waitForPort' (a port from 1 to 65535 expected)")
      }
      let limit = try timeout(call, 3) ?? .seconds(30)
      return { () async throws(LuaError) in
        try await process.waitForPort(port, within: limit)
        return []
      }
    }
    methods.add(
      "signal", "Sends a signal to the program and its process group.",
      [LuaParameter("name", .string, "such as TERM, INT, HUP, USR1 or KILL")]
    ) { call throws(LuaError) in
      let given = call.string(2) ?? ""
      let name = given.hasPrefix("SIG") ? String(given.dropFirst(3)) : given
      guard let number = SignalName.numbers[name] else {
        throw .message(
          "bad argument #1 to 'signal' (there is no signal '\(given.printable)'; known: "
            + "\(SignalName.numbers.keys.sorted().joined(separator: ", ")))")
      }
      try process(call).send(number)
      return .results(0)
    }
    methods.wait(
      "stop", "Ends the program and all its descendants: by SIGTERM, after the timeout by SIGKILL.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter("timeout", .number, optional: true, "seconds until SIGKILL; 5")
          ]), optional: true)
      ], returns: "integer"
    ) { call throws(LuaError) in
      let process = try process(call)
      let limit = try timeout(call, 2) ?? .seconds(5)
      return { () async throws(LuaError) in
        [.integer(Int64(try await process.stop(within: limit)))]
      }
    }
    processClass.methods = methods.members
    processClass.properties = [
      property("pid", .integer, "The number of the process; nil until it is known.") { process in
        process.process.map { .integer(Int64($0)) } ?? .nil
      },
      property("exitCode", .integer, "The exit code; nil while the program runs.") { process in
        process.exitCode.map { .integer(Int64($0)) } ?? .nil
      },
      property(
        "output", .bytes,
        "What it has printed to standard output so far; of more than 64 MiB the end."
      ) {
        .bytes($0.outputBytes)
      },
      property(
        "errors", .bytes,
        "What it has printed to standard error so far; of more than 64 MiB the end."
      ) {
        .bytes($0.errorBytes)
      },
    ]
    processClass.describe = { object in
      (object as? ScriptProcess).map { process in
        let state = process.exitCode.map { "ended with \($0)" } ?? "running"
        return "Process(\(process.name.printable), \(state))"
      } ?? "Process"
    }
    processClass.close = { object, _ in (object as? ScriptProcess)?.beginEnd() }
    return methods.list
  }

  private static func process(_ call: LuaCall) throws(LuaError) -> ScriptProcess {
    guard let process = call.object(1, as: ScriptProcess.self) else {
      throw .message("a Process expected")
    }
    return process
  }

  private static func timeout(_ call: LuaCall, _ index: Int) throws(LuaError) -> Duration? {
    call.isTable(index) ? try PageArguments.duration(call, index, "timeout") : nil
  }

  private static func property(
    _ name: String, _ kind: LuaParameter.Kind, _ summary: String,
    _ read: @escaping (ScriptProcess) -> LuaValue
  ) -> LuaClass.Property {
    .computed(name, kind, summary) { call in
      call.push(call.object(1, as: ScriptProcess.self).map { read($0) } ?? .nil)
      return .results(1)
    }
  }
}
