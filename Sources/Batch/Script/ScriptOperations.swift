public import Encoding
import HTTP
import Lua
public import Scripting

/// The operations of a script's own, which run in a Lua state of theirs on a thread of its own, so that one that
/// computes holds nobody else up.
///
/// Any number of calls may be under way at the same time.
public actor ScriptOperations: CustomOperations {
  /// A state with the script, and how many calls are under way in it.
  private final class Loaded {
    let script: BatchScript
    private let leash: PlanLeash
    var calls = 0
    /// Whether nobody calls it any more; it ends with the last call.
    var isRetired = false

    init(_ script: BatchScript, _ leash: PlanLeash) {
      self.script = script
      self.leash = leash
    }

    func close() {
      leash.release()
      script.close()
    }
  }

  private nonisolated let loop: EventLoop
  private let source: Script
  private let context: ScriptContext
  private let limit: Duration
  private let stuck: @Sendable () -> Void
  private var loaded: Loaded?
  private let loading = SharedWork<Void, BatchProblem>()

  /// The script runs on its loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  private init(
    _ source: Script, _ context: ScriptContext, _ loop: EventLoop, _ limit: Duration,
    _ stuck: @escaping @Sendable () -> Void
  ) {
    self.source = source
    self.context = context
    self.loop = loop
    self.limit = limit
    self.stuck = stuck
  }

  /// Loads a script on a thread of its own.
  ///
  /// - Parameters:
  ///   - limit: How long each call may take, of waiting as of computing.
  ///   - stuck: Is called when it computes without end inside a function of C.
  /// - Throws: Why it does not load.
  public static func load(
    _ source: Script, _ context: ScriptContext, limit: Duration = .seconds(60),
    stuck: @escaping @Sendable () -> Void
  ) async throws(BatchProblem) -> ScriptOperations {
    // Before there is a state, which lets its thread take the handler's signal.
    LuaStopHandle.installHandler()
    let loop: EventLoop
    do throws(HTTPError) {
      loop = try EventLoop(name: "operations")
      try loop.start()
    } catch {
      throw BatchProblem(.unavailable, error.message, hint: error.hint)
    }
    let operations = ScriptOperations(source, context, loop, limit, stuck)
    do throws(BatchProblem) {
      try await operations.open()
    } catch {
      loop.stop()
      throw error
    }
    return operations
  }

  /// Loads the script unless it is there; another state takes the place of one that had to be stopped.
  private func open() async throws(BatchProblem) {
    while loaded == nil {
      _ = try await loading.share { () async throws(BatchProblem) in
        let script = try await BatchScript.open(source, context: context, actor: LoopActor(loop))
        let leash = PlanLeash(script.interpreter, limit: limit, isGentle: true, stuck: stuck)
        loaded = Loaded(script, leash)
      }
    }
  }

  /// The names of the operations that have an `undo`.
  public var undoable: Set<String> { loaded?.script.undoable ?? [] }

  /// Ends the script's state and its thread.
  public nonisolated func close() async {
    await retire()
    loop.stop()
  }

  private func retire() {
    guard let loaded = loaded.take() else { return }
    loaded.isRetired = true
    if loaded.calls == 0 { loaded.close() }
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
    do throws(BatchProblem) { try await open() } catch {
      throw CustomFailure(RowFault("scriptStopped", error.message))
    }
    guard let loaded else { throw Self.failure("scriptStopped", "the script is not loaded") }
    var operation = arguments.object ?? [:]
    operation["op"] = .string(name)
    operation["uid"] = uid.map(JSON.string)
    let given = [.object(operation), account.map(Self.table) ?? .null]
    loaded.calls += 1
    let answer = await loaded.script.perform(name, step, given, within: limit)
    loaded.calls -= 1
    switch answer {
    case .stopped, .cancelled: if self.loaded === loaded { retire() }
    default: break
    }
    if loaded.isRetired, loaded.calls == 0 { loaded.close() }
    // What `isDone` fails with says nothing of what it asks about.
    let changes = step != "isDone"
    switch answer {
    case .returned(let value): return value
    case .failed(let failure):
      let code = failure.code ?? "scriptError"
      let place = failure.place.map { "\($0): " } ?? ""
      let isRetryable = Self.retryable.contains(code)
      throw CustomFailure(
        RowFault(code, "\(name).\(step): \(place)\(failure.message)".printable),
        isRetryable: isRetryable,
        // A script that fails says that it has not done it, unless it can be asked.
        isOutcomeUnknown: changes && (isRetryable || loaded.script.checkable.contains(name)))
    case .timedOut:
      throw CustomFailure(
        RowFault("timedOut", "\(name).\(step) took longer than \(limit)"), isOutcomeUnknown: changes
      )
    case .cancelled:
      // Its turn had not come when another one had to be stopped.
      return try await perform(step, name, uid, arguments, account)
    case .stopped:
      throw CustomFailure(
        RowFault("scriptStopped", "\(name).\(step) had to be stopped"), isOutcomeUnknown: changes)
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
    "networkError", "tooManyRequests", "quotaExceeded", "transport", "issuerUnreachable",
    "timedOut", "connect", "broken",
  ]

  private static func failure(_ code: String, _ message: String) -> CustomFailure {
    CustomFailure(RowFault(code, message))
  }
}
