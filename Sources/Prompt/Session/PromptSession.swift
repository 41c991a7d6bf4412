import Encoding
import HTTP
import Lua
import Scripting

/// A Lua state at the prompt: runs texts one after the other, and keeps what they leave.
///
/// Used on the thread of its interpreter's loop.
final class PromptSession {
  /// How a text ended.
  enum Ending: Equatable {
    case shown([String])
    case failed(String)
    /// `os.exit` was called with this status.
    case left(Int32)
  }

  static let module = "luath.prompt.session"

  let interpreter: Interpreter
  private let parser = LuaParser()
  private let leash: PromptLeash
  /// The names it began with, and what scripts write for each.
  private(set) var names: [String: String] = [:]
  /// The texts so far, by the names of their chunks.
  private var texts: [String: [UInt8]] = [:]
  private(set) var number = 0
  private let readFile: (String) -> [UInt8]?

  init(_ interpreter: Interpreter, leash: PromptLeash, readFile: @escaping (String) -> [UInt8]?) {
    self.interpreter = interpreter
    self.leash = leash
    self.readFile = readFile
    leash.hold(interpreter.stopHandle)
  }

  /// Gives it its first names.
  func begin() async throws(PromptProblem) {
    switch await interpreter.call(Self.module, "install") {
    case .returned(let names):
      for (name, source) in names.object?.entries ?? [] { self.names[name] = source.string }
    case .failed(let failure): throw PromptProblem(failure.message, hint: failure.hint)
    default: throw PromptProblem("the session does not begin")
    }
  }

  /// What a text is, without running it.
  func find(_ text: String) -> LuaParser.Finding { parser.find(text) }

  /// Runs a text and gives what it shows.
  ///
  /// - Parameter columns: how wide what is shown may be.
  func run(_ text: String, columns: Int = 80) async -> Ending {
    let finding = parser.find(text)
    number += 1
    let chunk = "[\(number)]"
    texts[chunk] = Array(text.utf8)
    let source =
      switch finding {
      // Lua says again what is wrong, under the text's own name.
      case .wrong, .incomplete: SessionText(uncompiled: text)
      case .expression, .statements:
        SessionText(text, isExpression: finding == .expression, known: variables)
      }
    let spec: JSON = [
      "source": .string(source.source), "chunk": .string("=\(chunk)"),
      "number": .integer(Int64(number)), "names": source.facts["names"] ?? [],
      "kept": source.facts["kept"] ?? [], "columns": .integer(Int64(columns)),
    ]
    return await ending(of: await call("run", [spec]), chunk)
  }

  /// The variables of the session; whether each is a constant.
  var variables: [String: Bool] {
    guard let known = try? interpreter.ask(Self.module, "known", []).object else { return [:] }
    return known.entries.reduce(into: [:]) { $0[$1.key] = $1.value.bool ?? false }
  }

  /// Calls a function of the session's module, which Ctrl-C interrupts.
  func call(_ function: String, _ arguments: [JSON]) async -> SessionCall {
    let answer = await leash.call { await interpreter.call(Self.module, function, arguments) }
    interpreter.forgetInterruption()
    return answer
  }

  private func ending(of call: SessionCall, _ chunk: String) async -> Ending {
    switch call {
    case .returned(let answer):
      return .shown(answer["texts"]?.array?.compactMap(\.string) ?? [])
    case .failed(let failure):
      await interpreter.passFailure(to: Self.module, "failed")
      return .failed(words(failure, chunk))
    case .cancelled: return .failed("interrupted\n")
    case .timedOut: return .failed("the time is over\n")
    case .stopped(.exited(let status), _): return .left(status)
    case .stopped(let outcome, _):
      let tasks = interpreter.openTasks
      interpreter.revive()
      let lost = tasks > 0 ? "; tasks that were open have ended too" : ""
      if case .stopped(.memory) = outcome {
        return .failed("stopped: it took more memory than --memory allows\(lost)\n")
      }
      return .failed("interrupted\(lost)\n")
    }
  }

  /// A failure in words, with the line it is about.
  func words(_ failure: ScriptFailure, _ chunk: String) -> String {
    FailureText { [texts, readFile] in texts[$0] ?? readFile($0) }.words(failure, chunk: chunk)
  }

  /// Closes what wants to be closed and ends the state.
  func end() async {
    if case .returned(let problems) = await call("close", []) {
      _ = problems
    }
    _ = await interpreter.sweep(within: .seconds(1))
    interpreter.close()
    leash.hold(nil)
  }
}
