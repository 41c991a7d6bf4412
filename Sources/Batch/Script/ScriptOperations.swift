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

  /// The names of the operations that have an `undo`; none before the script is loaded.
  public var undoable: Set<String> { script?.undoable ?? [] }

  /// Ends the script's state.
  public func close() {
    leash?.release()
    leash = nil
    script?.close()
    script = nil
  }

  /// Calls `run(op, account)`, or `undo(op, account)` when the name says that it is taken back.
  public func run(
    _ name: String, uid: String?, arguments: JSON, account: JSON?
  ) async throws(CustomFailure) {
    if let undone = Change.undone(name) {
      guard try await undo(undone, uid: uid, arguments: arguments, account: account) else {
        throw Self.failure("notRestorable", "\(undone) has no undo in the script")
      }
      return
    }
    _ = try await perform("run", name, uid, arguments, account)
  }

  /// Calls `isDone(op, account)`.
  public func isDone(
    _ name: String, uid: String?, arguments: JSON, account: JSON?
  ) async throws(CustomFailure) -> Bool? {
    guard let undone = Change.undone(name) else {
      return try await perform("isDone", name, uid, arguments, account).bool
    }
    return try await perform("isDone", undone, uid, arguments, account).bool.map { !$0 }
  }

  /// Calls `undo(op, account)`; false when the script has none.
  public func undo(
    _ name: String, uid: String?, arguments: JSON, account: JSON?
  ) async throws(CustomFailure) -> Bool {
    try await perform("undo", name, uid, arguments, account) != .null
  }

  private func perform(
    _ step: String, _ name: String, _ uid: String?, _ arguments: JSON, _ account: JSON?
  ) async throws(CustomFailure) -> JSON {
    guard let script else { throw Self.failure("scriptStopped", "the script is not loaded") }
    var operation = arguments.object ?? [:]
    operation["op"] = .string(name)
    operation["uid"] = uid.map(JSON.string)
    let given = [.object(operation), account.map(Self.table) ?? .null]
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

  /// An account under the names that scripts know it by.
  private static func table(_ account: JSON) -> JSON {
    var table = JSONObject()
    for (name, wire) in [
      ("uid", "localId"), ("email", "email"), ("emailVerified", "emailVerified"),
      ("displayName", "displayName"), ("photoURL", "photoUrl"), ("phoneNumber", "phoneNumber"),
      ("disabled", "disabled"),
    ] {
      table[name] = account[wire]
    }
    if let text = account["customAttributes"]?.string, let claims = try? JSON.parse(text) {
      table["customClaims"] = claims
    }
    table["providerData"] = .array(
      (account["providerUserInfo"]?.array ?? []).map { identity in
        var entry = JSONObject()
        for (name, wire) in [
          ("providerID", "providerId"), ("uid", "rawId"), ("email", "email"),
          ("displayName", "displayName"), ("photoURL", "photoUrl"),
        ] {
          entry[name] = identity[wire]
        }
        return .object(entry)
      })
    return .object(table)
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
