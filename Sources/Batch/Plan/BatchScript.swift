import HTTP
import Host
import Lua
import OIDC
import System

/// A script that defines a batch, loaded into its own Lua state; use it on the thread of its loop.
final class BatchScript {
  private static let engine = "luath.batch.engine"
  /// The time limit for running the script's top level.
  private static let loadLimit = Duration.seconds(30)

  /// The script's Lua state.
  let interpreter: Interpreter
  /// The columns that every row must have.
  private(set) var columns: [String] = []
  /// The names of the script's custom operations.
  private(set) var operations: Set<String> = []
  /// The custom operations that have an `undo`.
  private(set) var undoable: Set<String> = []
  /// The custom operations that have an `isDone`.
  private(set) var checkable: Set<String> = []
  /// Whether each e-mail address has one account; nil if the script does not say, and the project's setting counts.
  private(set) var oneAccountPerEmail: Bool?

  /// The files of modules that the script's top level has loaded, by the modules' names, with their SHA-256 in
  /// hexadecimal.
  private(set) var modules: [String: String] = [:]

  private init(_ interpreter: Interpreter) { self.interpreter = interpreter }

  /// Runs a script's top level and reads the batch definition that it returns.
  ///
  /// - Throws: A problem with the code `notLoaded` if the script cannot be loaded.
  static func open(
    _ script: Script, context: ScriptContext, actor: LoopActor
  ) async throws(BatchProblem) -> BatchScript {
    let opened = BatchScript(Interpreter(context: context, actor: actor))
    let watchdog = Watchdog(opened.interpreter, overdue: [(loadLimit, .stop(.time))])
    watchdog.watchStretches()
    do {
      try await opened.load(script)
      await watchdog.release()
      return opened
    } catch {
      opened.interpreter.close()
      await watchdog.release()
      throw error
    }
  }

  private func load(_ script: Script) async throws(BatchProblem) {
    switch await interpreter.open(script, givingTo: Self.engine, "receive") {
    case .finished: break
    case .failed(let failure), .notLoaded(let failure):
      throw BatchProblem(.notLoaded, failure, in: script)
    case .stopped(.time):
      throw BatchProblem(
        .notLoaded, "\(script.name.printable) did not load within 30 seconds",
        hint: "its top level describes the batch; what takes long belongs into plan")
    case .stopped(.memory):
      throw BatchProblem(
        .notLoaded, "\(script.name.printable) takes more memory than is allowed",
        hint: "look for a table that grows without end")
    case .stopped(.interrupt):
      throw BatchProblem(.unavailable, "interrupted while the script was loaded", hint: "")
    case .exited:
      throw BatchProblem(
        .notLoaded, "\(script.name.printable) called os.exit while it was loaded",
        hint: "end it with: return batch.define { … }")
    }
    let said = try await call("describe")
    columns = (said["columns"]?.array ?? []).compactMap(\.string)
    oneAccountPerEmail = said["oneAccountPerEmail"]?.bool
    operations = Set((said["operations"]?.array ?? []).compactMap(\.string))
    undoable = Set((said["undoable"]?.array ?? []).compactMap(\.string))
    checkable = Set((said["checkable"]?.array ?? []).compactMap(\.string))
    for (name, path) in said["modules"]?.object?.entries ?? [] {
      guard let path = path.string, let bytes = try? WholeFile.read(path) else { continue }
      modules[name] = Hex.encode(Digest.sha256(bytes))
    }
  }

  /// Throws unless the script has loaded the modules that it had loaded for the plan; nil stands for a plan of an older
  /// version, which does not have them.
  func requireModules(_ planned: [String: String]?) throws(BatchProblem) {
    guard let planned else { return }
    let names = Set(planned.keys).union(modules.keys)
    guard let name = names.filter({ planned[$0] != modules[$0] }).min() else { return }
    throw BatchProblem(
      .notLoaded, "the module \(name.printable) is not the one the plan was made with",
      hint: "put the old one back, or plan again with 'luath batch plan'")
  }

  /// Calls a function of a custom operation; several calls may run concurrently.
  ///
  /// - Parameters:
  ///   - step: `run`, `isDone` or `undo`.
  ///   - limit: The time limit, including waits.
  /// - Returns: The function's result; null if the operation does not have the function.
  func perform(
    _ name: String, _ step: String, _ arguments: [JSON], within limit: Duration
  ) async -> SessionCall {
    await interpreter.call(
      Self.engine, "perform", [.string(name), .string(step)] + arguments, within: limit,
      isBesideOthers: true)
  }

  /// Runs the script's `plan` for all rows of the interpreter's planner.
  func plan(workers: Int) async -> SessionCall {
    await interpreter.call(Self.engine, "plan", [.integer(Int64(workers))])
  }

  private func call(_ function: String) async throws(BatchProblem) -> JSON {
    switch await interpreter.call(Self.engine, function) {
    case .returned(let value): return value
    case .failed(let failure): throw BatchProblem(.notLoaded, failure, in: nil)
    default: throw BatchProblem(.unavailable, "the script was stopped", hint: "run it again")
    }
  }

  /// Closes the Lua state.
  func close() { interpreter.close() }
}

extension BatchProblem {
  /// Describes a script failure, with its location in the script.
  init(_ code: Code, _ failure: ScriptFailure, in script: Script?) {
    let place = failure.place ?? script?.name
    let words = (place.map { "\($0): " } ?? "") + failure.message
    let calls = failure.traceback.split(separator: "\n").dropFirst()
    // For an error without a location, take it from the traceback.
    let lines = calls.map { String($0.drop { $0 == "\t" }) }
    let own = lines.first { line in script.map { line.hasPrefix("\($0.name):") } ?? false }
    let inner = own.flatMap {
      $0.firstRange(of: ": in ").map { String(own?[..<$0.lowerBound] ?? "") }
    }
    let shown = failure.place == nil ? inner.map { "\($0): \(failure.message)" } ?? words : words
    self.init(
      code, shown.printable,
      hint: failure.hint?.printable
        ?? "correct the script: luath doc batches#the-script lists its fields")
  }
}
