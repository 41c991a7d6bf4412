import HTTP
import Host
import Lua
import System

/// Runs a script's custom operations in a separate Lua state and thread, so that a slow one does not block the run.
///
/// Any number of calls may run concurrently.
actor ScriptOperations {
  /// A loaded Lua state, and the number of calls in progress.
  private final class Loaded {
    let script: BatchScript
    private let watchdog: Watchdog
    var calls = 0
    /// Whether no further calls may use the state; the last call closes it.
    var isRetired = false

    init(_ script: BatchScript, _ watchdog: Watchdog) {
      self.script = script
      self.watchdog = watchdog
    }

    func close() async {
      script.close()
      await watchdog.release()
    }
  }

  private nonisolated let loop: EventLoop
  private let source: Script
  private let modules: [String: String]?
  private let context: ScriptContext
  private let limit: Duration
  private let stuck: @Sendable () -> Void
  private var loaded: Loaded?
  private let loading = SharedWork<Void, BatchProblem>()

  /// The executor of the loop's thread.
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  private init(
    _ source: Script, _ modules: [String: String]?, _ context: ScriptContext, _ loop: EventLoop,
    _ limit: Duration, _ stuck: @escaping @Sendable () -> Void
  ) {
    self.source = source
    self.modules = modules
    self.context = context
    self.loop = loop
    self.limit = limit
    self.stuck = stuck
  }

  /// Loads a script on a new thread.
  ///
  /// - Parameters:
  ///   - modules: The modules that the script has to load, as in `PlanHeader`.
  ///   - limit: The time limit for each call, for waits as well as for computing.
  ///   - stuck: Called when a call computes endlessly inside a C function.
  /// - Throws: If the script cannot be loaded.
  static func load(
    _ source: Script, modules: [String: String]? = nil, _ context: ScriptContext,
    limit: Duration = .seconds(60), stuck: @escaping @Sendable () -> Void
  ) async throws(BatchProblem) -> ScriptOperations {
    let loop = try EventLoop.started("operations") { BatchProblem($0) }
    let operations = ScriptOperations(source, modules, context, loop, limit, stuck)
    do throws(BatchProblem) {
      try await operations.open()
    } catch {
      loop.stop()
      throw error
    }
    return operations
  }

  /// Loads the script if it is not loaded, for example after its state had to be stopped.
  private func open() async throws(BatchProblem) {
    while loaded == nil {
      _ = try await loading.share { () async throws(BatchProblem) in
        let script = try await BatchScript.open(source, context: context, actor: LoopActor(loop))
        do throws(BatchProblem) { try script.requireModules(modules) } catch {
          script.close()
          throw error
        }
        // An interruption keeps the other calls; a script that catches it ten times is stopped.
        let again = [Watchdog.Step](repeating: (.milliseconds(200), .interrupt), count: 9)
        let watchdog = Watchdog(
          script.interpreter,
          overdue: [(limit, .interrupt)] + again + [
            (.milliseconds(200), .stop(.time)), (.seconds(2), .report(stuck)),
          ])
        watchdog.watchStretches()
        loaded = Loaded(script, watchdog)
      }
    }
  }

  /// The names of the operations that have an `undo`.
  var undoable: Set<String> { loaded?.script.undoable ?? [] }

  /// Closes the script's state and ends its thread.
  nonisolated func close() async {
    await retire()
    loop.stop()
  }

  private func retire() async {
    guard let loaded = loaded.take() else { return }
    loaded.isRetired = true
    if loaded.calls == 0 { await loaded.close() }
  }

  /// Calls `run(op, account)`, or `undo(op, account)` if the name is that of an undo.
  func run(
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
  func isDone(
    _ name: String, uid: String?, arguments: JSON, account: JSON?
  ) async throws(CustomFailure) -> Bool? {
    guard let undone = Change.undone(name) else {
      return try await perform("isDone", name, uid, arguments, account).bool
    }
    return try await perform("isDone", undone, uid, arguments, account).bool.map { !$0 }
  }

  /// Calls `undo(op, account)`; false if the operation has none.
  func undo(
    _ name: String, uid: String?, arguments: JSON, account: JSON?
  ) async throws(CustomFailure) -> Bool {
    try await perform("undo", name, uid, arguments, account) != .null
  }

  private func perform(
    _ step: String, _ name: String, _ uid: String?, _ arguments: JSON, _ account: JSON?
  ) async throws(CustomFailure) -> JSON {
    do throws(BatchProblem) { try await open() } catch {
      throw CustomFailure(RowFailure("scriptStopped", error.message))
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
    case .stopped, .cancelled: if self.loaded === loaded { await retire() }
    default: break
    }
    if loaded.isRetired, loaded.calls == 0 { await loaded.close() }
    // `isDone` changes nothing, so its failures never leave an unknown outcome.
    let changes = step != "isDone"
    switch answer {
    case .returned(let value): return value
    case .failed(let failure):
      let code = failure.code ?? "scriptError"
      let place = failure.place.map { "\($0): " } ?? ""
      let isRetryable = Self.retryable.contains(code)
      throw CustomFailure(
        RowFailure(code, "\(name).\(step): \(place)\(failure.message)".printable),
        isRetryable: isRetryable,
        // A failure means that the operation was not done, unless the script's `isDone` can check that.
        isOutcomeUnknown: changes && (isRetryable || loaded.script.checkable.contains(name)))
    case .timedOut:
      throw CustomFailure(
        RowFailure("timedOut", "\(name).\(step) took longer than \(limit)"),
        isOutcomeUnknown: changes
      )
    case .cancelled:
      // The call had not begun when the state was stopped because of another call, so run it again.
      return try await perform(step, name, uid, arguments, account)
    case .stopped:
      throw CustomFailure(
        RowFailure("scriptStopped", "\(name).\(step) had to be stopped"), isOutcomeUnknown: changes)
    }
  }

  /// An account with the field names that scripts use.
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

  /// Codes of failures that a retry may fix.
  private static let retryable: Set = [
    "networkError", "tooManyRequests", "quotaExceeded", "transport", "issuerUnreachable",
    "timedOut", "connect", "broken",
  ]

  private static func failure(_ code: String, _ message: String) -> CustomFailure {
    CustomFailure(RowFailure(code, message))
  }
}
