import System
import HTTP
import Lua
import Host
import Synchronization

/// A file of journeys in its own Lua state; used on the thread of its worker's loop.
final class OpenFile {
  private static let engine = "luath.journey.engine"
  /// How long remaining tasks may take to end after they were canceled.
  private static let grace = Duration.seconds(1)

  let interpreter: Interpreter
  /// What the file sets for load runs, once its journeys are collected.
  private(set) var load: FileLoadSettings?
  private let watchdog: Watchdog

  private init(_ interpreter: Interpreter, stuck: @escaping @Sendable () -> Void) {
    self.interpreter = interpreter
    // With many files at once, a file may wait long for its turn on a thread.
    watchdog = Watchdog(
      interpreter, patience: .seconds(30),
      overdue: [(.seconds(1), .stop(.time)), (.seconds(2), .report(stuck))])
    interpreter.onPause = { [watchdog] in watchdog.pause($0) }
  }

  /// Loads a file.
  ///
  /// It is in `current` from the beginning, so that it can be interrupted while loading.
  ///
  /// - Parameter stuck: Called when the file runs code that Lua cannot stop.
  /// - Throws: Why the file does not load.
  static func open(
    _ script: Script, context: ScriptContext, actor: LoopActor, within limit: Duration,
    current: CurrentFile? = nil, stuck: @escaping @Sendable () -> Void
  ) async throws(Failure) -> OpenFile {
    let file = OpenFile(Interpreter(context: context, actor: actor), stuck: stuck)
    current?.set(file)
    do throws(Failure) {
      _ = try await file.value("install", [], within: limit)
      let outcome = await file.watchdog.hold(limit) { await file.interpreter.open(script) }
      switch outcome {
      case .finished: return file
      case .stopped(.time):
        throw Failure(
          kind: .timeout, message: "the file did not load in time",
          hint: "its top level declares journeys; what takes long belongs into them")
      default: throw Failure(outcome, within: limit)
      }
    } catch {
      current?.set(nil)
      await file.close()
      throw error
    }
  }

  func collect(_ script: Script, within limit: Duration) async throws(Failure) -> [PlannedJourney] {
    let answer = try await value("collect", [], within: limit)
    let isParallel = answer["isParallel"]?.bool ?? false
    // An empty Lua table may be encoded as a list or as an object.
    guard
      let list = answer["journeys"]?.array
        ?? (answer["journeys"]?.object?.isEmpty == true ? [] : nil)
    else {
      throw Failure(
        kind: .error, message: "the file did not list its journeys",
        hint: "something in it has changed luath's own modules")
    }
    let keepsProject = answer["keepsProject"]?.bool ?? false
    interpreter.keepsProject = keepsProject
    load = try FileLoadSettings(answer["load"], of: script)
    return list.compactMap {
      PlannedJourney($0, of: script, isParallel: isParallel, keepsProject: keepsProject)
    }
  }

  /// Calls a function of the engine; stops the state when cancellation alone does not end the call.
  func call(
    _ function: String, _ arguments: [JSON] = [], within limit: Duration
  ) async -> SessionCall {
    await watchdog.hold(limit) { [interpreter] in
      await interpreter.call(Self.engine, function, arguments, within: limit)
    }
  }

  /// Ends the current call early; safe from any thread.
  func interrupt() { watchdog.escalate() }

  /// Calls a function of the engine that cannot be cancelled, and returns its result.
  func value(
    _ function: String, _ arguments: [JSON], within limit: Duration
  ) async throws(Failure) -> JSON {
    switch await call(function, arguments, within: limit) {
    case .returned(let value): return value
    case .failed(let failure): throw Failure(failure, kind: .error)
    case .stopped(let stop, let traceback): throw Failure(stop, within: limit).placed(by: traceback)
    case .timedOut, .cancelled:
      throw Failure(kind: .timeout, message: "the file did not load in time")
    }
  }

  /// Ends the state and everything it opened.
  func close() async {
    _ = await interpreter.sweep(within: Self.grace, isLast: true)
    // Closing runs the script's finalizers.
    await watchdog.hold(.zero) { [interpreter] in _ = interpreter.close() }
    await watchdog.release()
  }
}
