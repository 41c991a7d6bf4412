import HTTP
public import Lua
package import System
import Glibc

/// A script to run: its text, its name in errors, and its arguments.
public struct Script: Sendable {
  /// The source text.
  public let text: [UInt8]
  /// The name in errors, usually the path as given.
  public let name: String
  /// The folder that `require` searches first; nil to search none.
  let folder: String?
  /// The path of its file, if the command line names one.
  public let path: String?
  let arguments: [String]
  /// Why the file could not be read, for callers that continue without it.
  public var problem: String?

  /// Creates a script; like Lua, skips a byte order mark and a first line that begins with `#`.
  public init(
    text: [UInt8], name: String, folder: String?, path: String? = nil, arguments: [String] = []
  ) {
    self.name = name
    self.folder = folder
    self.path = path
    self.arguments = arguments
    self.text = Self.source(text)
  }

  /// The text that Lua compiles.
  static func source(_ text: [UInt8]) -> [UInt8] {
    let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text[...]
    // Keep the line break, so that line numbers stay correct.
    return Array(text.first == UInt8(ascii: "#") ? text.drop { $0 != UInt8(ascii: "\n") } : text)
  }
}

/// How a script ended.
public enum ScriptOutcome: Sendable {
  case finished
  case failed(ScriptFailure)
  case notLoaded(ScriptFailure)
  case stopped(ScriptStop)
  case exited(Int32)
}

/// Why a script was stopped.
public enum ScriptStop: Sendable {
  case time
  case memory
  case interrupt
}

/// An error that ended a script.
public struct ScriptFailure: Sendable {
  /// The message, without the position.
  public let message: String
  /// The code, if it is one of luath's errors.
  public let code: String?
  /// What the user can do.
  public internal(set) var hint: String?
  /// Whether the hint is made of the script's own code, which is shown as it stands.
  var quotesSource = false
  /// `file:line`, if known.
  public var place: String?
  /// The traceback.
  public let traceback: String
  /// The function whose call failed, for the caret.
  public let name: String?
  /// What the name is in the source, if known.
  public internal(set) var role: NameRole?
  /// The position in its line of what is wrong, in bytes from 0, if known.
  public var column: Int?
  /// The path of keys to a faulty value in a project file.
  let keys: [String]
  /// The details of a failed check of `luath.expect`.
  public var check: ScriptCheck?

  /// Creates a failure.
  init(
    message: String, code: String? = nil, hint: String? = nil, place: String? = nil,
    traceback: String = "", name: String? = nil, keys: [String] = []
  ) {
    self.message = message
    self.code = code
    self.hint = hint
    self.place = place
    self.traceback = traceback
    self.name = name
    self.keys = keys
  }
}

/// The details of a failed check of `luath.expect`.
public struct ScriptCheck: Sendable {
  /// The source of the checked expression.
  public let expression: String?
  /// The expected value, as text.
  public let expected: String?
  /// The actual value, as text.
  public let actual: String?
  /// Lines that begin with two blanks, `- ` (expected only) or `+ ` (actual only).
  public let diff: [String]
  /// The names of the enclosing steps, outermost first.
  public let steps: [String]
}

/// The project file: a Lua chunk that returns a table, run in an empty environment.
package enum ProjectScript {
  /// Runs the text in an empty environment and returns its table as JSON.
  ///
  /// - Throws: The error of Lua or of the table's contents, with the line if known.
  package static func evaluate(_ text: [UInt8], name: String) throws(ScriptFailure) -> JSON {
    let lua = LuaState()
    defer { lua.close() }
    LuaState.adoptCurrentThread()
    lua.setMemoryLimit(64 << 20)
    let handle = lua.stopHandle
    let thread = UInt(pthread_self())
    // The project file is data, so one that runs for seconds is a mistake. The guardian task may still run when the
    // state is closed; its handle allows that.
    let guardian = Task.detached {
      guard (try? await Task.sleep(for: .seconds(5))) != nil else { return }
      handle.request(.time, thread: thread)
    }
    defer { guardian.cancel() }
    var unusable: JSONBridge.Unwritable?
    do throws(LuaError) {
      let runner = try lua.load(Array(runnerText.utf8), name: "=luath")
      let value = try lua.run(
        runner, [.bytes(Script.source(text)), .string("@" + name)])
      return try lua.read(value) { call, at throws(LuaError) in
        guard call.isTable(at) else {
          throw .message(
            "\(name):1: the project file returns \(words(call.typeName(at)))")
        }
        do throws(JSONBridge.Unwritable) { return try JSONBridge.json(call, at) } catch {
          unusable = error
          throw .message("")
        }
      }
    } catch {
      if let unusable {
        throw ScriptFailure(
          message: "a project file cannot hold \(unusable.what)",
          hint: "it holds strings, numbers, booleans, and tables of these", keys: unusable.path)
      }
      guard lua.stopReason == nil else {
        throw ScriptFailure(
          message: "the project file does not end or takes too much memory",
          hint: "return a plain table", place: "\(name):1")
      }
      let failure = Interpreter.failure(said(error, lua), traceback: "")
      let hint =
        "it is data: return { … }, without calling functions; luath doc project-file lists the keys"
      throw ScriptFailure(
        message: failure.message, hint: hint, place: failure.place ?? "\(name):1",
        name: failure.name)
    }
  }

  private static func words(_ type: String) -> String { type == "nil" ? "nothing" : "a \(type)" }

  private static let runnerText = """
    local text, name = ...
    -- Without methods of strings nothing can run long inside one call.
    getmetatable("").__index = nil
    local chunk, problem = load(text, name, "t", {})
    if not chunk then error(problem, 0) end
    return (chunk())
    """

  private static func said(_ error: LuaError, _ lua: LuaState) -> String {
    switch error {
    case .message(let text): text
    case .value(let reference): lua.text(of: reference) ?? "the project file failed"
    case .object: "the project file failed"
    }
  }
}

extension ScriptFailure: Error {}

/// Stops a running script from any thread.
public struct ScriptStopHandle: Sendable {
  let lua: LuaStopHandle
  let loop: EventLoop
  let interpreter: OnLoop<Interpreter>

  /// Stops the script: running code at its next instruction, a wait immediately.
  public func request(_ reason: LuaStop) {
    let thread = loop.pthread
    if thread != 0 { lua.request(reason, thread: UInt(thread)) }
    let interpreter = interpreter
    loop.perform { interpreter.value.stopRequested() }
  }

  /// Makes running code raise "interrupted", which the script may catch; does not affect waits.
  public func interruptComputation() {
    let thread = loop.pthread
    if thread != 0 { lua.interrupt(thread: UInt(thread)) }
  }

  /// Makes the current call fail: its waits are cancelled, and running code raises "interrupted".
  ///
  /// Unlike a stop, it does not affect the rest of the state, and the script may catch the error.
  public func interruptCall() {
    let thread = loop.pthread
    if thread != 0 { lua.interrupt(thread: UInt(thread)) }
    let interpreter = interpreter
    loop.perform { interpreter.value.cancelCall() }
  }
}
