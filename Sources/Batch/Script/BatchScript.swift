public import Encoding
public import HTTP
public import Scripting

/// A script that describes a batch, loaded into a Lua state of its own; used on the thread of its loop.
public final class BatchScript {
  private static let engine = "luath.batch.engine"
  /// How long the script's own text may take.
  private static let loadLimit = Duration.seconds(30)

  /// The state.
  public let interpreter: Interpreter
  /// The columns that every row must have.
  public private(set) var columns: [String] = []
  /// The names of the operations of the script's own.
  public private(set) var operations: Set<String> = []
  /// Those of them that the script can take back.
  private(set) var undoable: Set<String> = []
  /// Those of which it can say whether they have been carried out.
  private(set) var checkable: Set<String> = []
  /// Whether each address has one account; nil when the script leaves it to the project.
  private(set) var oneAccountPerEmail: Bool?

  private init(_ interpreter: Interpreter) { self.interpreter = interpreter }

  /// Runs a script to its end and takes the batch that it returns.
  ///
  /// - Throws: Why it does not load; the code is `notLoaded`.
  public static func open(
    _ script: Script, context: ScriptContext, actor: LoopActor
  ) async throws(BatchProblem) -> BatchScript {
    let opened = BatchScript(Interpreter(context: context, actor: actor))
    let leash = PlanLeash(opened.interpreter, limit: loadLimit)
    do {
      try await opened.load(script)
      leash.release()
      return opened
    } catch {
      leash.release()
      opened.interpreter.close()
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
  }

  /// Has the engine call a step of an operation of the script's own; others may be under way.
  ///
  /// - Parameters:
  ///   - step: `run`, `isDone` or `undo`.
  ///   - limit: How long what it waits for may take.
  /// - Returns: What it gave; null when the script has no such step.
  public func perform(
    _ name: String, _ step: String, _ arguments: [JSON], within limit: Duration
  ) async -> SessionCall {
    await interpreter.call(
      Self.engine, "perform", [.string(name), .string(step)] + arguments, within: limit,
      isBesideOthers: true)
  }

  /// Has the engine plan all rows of the interpreter's planner.
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

  /// Ends the state.
  public func close() { interpreter.close() }
}

extension BatchProblem {
  /// Puts a failure of a script into words, with its place.
  init(_ code: Code, _ failure: ScriptFailure, in script: Script?) {
    let place = failure.place ?? script?.name
    let words = (place.map { "\($0): " } ?? "") + failure.message
    let calls = failure.traceback.split(separator: "\n").dropFirst()
    // Errors that carry no place have it in their calls.
    let lines = calls.map { String($0.drop { $0 == "\t" }) }
    let own = lines.first { line in script.map { line.hasPrefix("\($0.name):") } ?? false }
    let inner = own.flatMap {
      $0.firstRange(of: ": in ").map { String(own?[..<$0.lowerBound] ?? "") }
    }
    let shown = failure.place == nil ? inner.map { "\($0): \(failure.message)" } ?? words : words
    self.init(
      code, shown.printable,
      hint: failure.hint?.printable ?? "correct the script: docs/batches.md says what it may hold")
  }
}
