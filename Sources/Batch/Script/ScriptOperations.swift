public import Encoding
public import HTTP
public import Scripting

/// The operations of a script's own, which run in a Lua state of theirs on a loop.
///
/// Any number of calls may be under way at the same time.
public actor ScriptOperations: CustomOperations {
  private nonisolated let loop: EventLoop
  private var script: BatchScript?
  private var leash: PlanLeash?
  private let limit: Duration

  /// The script runs on its loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Prepares to run operations on a loop; each call may take as long as `limit` says.
  public init(on loop: EventLoop, limit: Duration = .seconds(60)) {
    self.loop = loop
    self.limit = limit
  }

  /// Loads the script.
  ///
  /// - Parameter stuck: Is called when it computes without end inside a function of C.
  /// - Throws: Why it does not load.
  public func load(
    _ source: Script, _ context: ScriptContext, stuck: @escaping @Sendable () -> Void
  ) async throws(BatchProblem) {
    let opened = try await BatchScript.open(source, context: context, actor: LoopActor(loop))
    leash = PlanLeash(opened.interpreter, limit: limit, stuck: stuck)
    script = opened
  }

  /// Ends the script's state.
  public func close() {
    leash?.release()
    leash = nil
    script?.close()
    script = nil
  }

  /// Calls `run(arguments, uid)`, or `undo(arguments, uid)` when the name says that it is taken back.
  public func run(
    _ name: String, uid: String?, arguments: JSON, account: JSON?
  ) async throws(CustomFailure) {
    if let undone = Change.undone(name) {
      guard try await undo(undone, uid: uid, arguments: arguments) else {
        throw Self.failure("notRestorable", "\(undone) has no undo in the script")
      }
      return
    }
    _ = try await perform("run", name, uid, arguments)
  }

  /// Calls `isDone(arguments, uid)`.
  public func isDone(
    _ name: String, uid: String?, arguments: JSON, account: JSON?
  ) async throws(CustomFailure) -> Bool? {
    guard let undone = Change.undone(name) else {
      return try await perform("isDone", name, uid, arguments).bool
    }
    return try await perform("isDone", undone, uid, arguments).bool.map { !$0 }
  }

  /// Calls `undo(arguments, uid)`; false when the script has none.
  public func undo(
    _ name: String, uid: String?, arguments: JSON
  ) async throws(CustomFailure) -> Bool {
    try await perform("undo", name, uid, arguments) != .null
  }

  private func perform(
    _ step: String, _ name: String, _ uid: String?, _ arguments: JSON
  ) async throws(CustomFailure) -> JSON {
    guard let script else { throw Self.failure("scriptStopped", "the script is not loaded") }
    let given = [arguments, uid.map(JSON.string) ?? .null]
    switch await script.perform(name, step, given, within: limit) {
    case .returned(let value): return value
    case .failed(let failure):
      let code = failure.code ?? "scriptError"
      throw CustomFailure(
        RowFault(code, "\(name).\(step): \(failure.message)".printable),
        isRetryable: Self.retryable.contains(code))
    case .timedOut:
      throw Self.failure("timedOut", "\(name).\(step) took longer than \(limit)")
    case .cancelled: throw Self.failure("scriptStopped", "\(name).\(step) was cancelled")
    case .stopped: throw Self.failure("scriptStopped", "\(name).\(step) had to be stopped")
    }
  }

  /// Codes of failures that another try may get past.
  private static let retryable: Set = [
    "networkError", "tooManyRequests", "quotaExceeded", "transport", "timedOut", "connect",
    "broken",
  ]

  private static func failure(_ code: String, _ message: String) -> CustomFailure {
    CustomFailure(RowFault(code, message))
  }
}
