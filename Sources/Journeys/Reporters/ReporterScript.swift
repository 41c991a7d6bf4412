import HTTP
import Host
import IdentityToolkit
import Lua
import Synchronization
import System

/// The script of a reporter in a Lua state and on a thread of its own.
///
/// The caller's thread waits for each call, and stops the script after a time limit. So a reporter cannot delay
/// journeys, and its loop without an end does not hang the run.
final class ReporterScript: Sendable {
  /// Why a call failed.
  struct Problem: Error {
    /// What failed, beginning with the place in the script if it is known.
    let message: String
    let hint: String?
  }

  private static let engine = "luath.journey.reporter"
  /// How many bytes the script may print during a call.
  fileprivate static let mostOutput = 32 << 20
  /// How long a stopped script may take to end.
  private static let grace = Duration.seconds(2)

  /// The name of the script in messages.
  let name: String
  private let loop: EventLoop
  private let limit: Duration
  private let opened = Opened()
  /// Whether the script has ended, or cannot be stopped, so that its thread is lost.
  private let hasEnded = Atomic<Bool>(false)

  /// Used on the loop's thread, except the output.
  fileprivate final class Opened: @unchecked Sendable {
    var interpreter: Interpreter?
    let output = Mutex<[String]>([])
    var outputSize = 0
  }

  /// Loads the script.
  ///
  /// - Parameters:
  ///   - events: The names of the events that the reporter may receive.
  ///   - limit: How long each call may take.
  init(
    _ script: Script, events: [String], environment: [String: String],
    limit: Duration = .seconds(10)
  ) throws(Problem) {
    name = script.name
    self.limit = limit
    loop = try EventLoop.started("reporter") { Problem(message: $0.message, hint: $0.hint) }
    // It is never reached: the modules that would do so are not available.
    let target = Target(projectID: "", apiKey: Target.anyKey, backend: .production)
    let context = ScriptContext(target: target, environment: environment)
    loop.perform { [loop, opened] in
      let interpreter = Interpreter(context: context, actor: LoopActor(loop))
      interpreter.provide("luath.reporter.host", [("write", opened.write)])
      opened.interpreter = interpreter
    }
    do throws(Problem) {
      _ = try call("install", [.array(events.map(JSON.string))])
      try load(script)
    } catch {
      close()
      throw error
    }
  }

  deinit { close() }

  private func load(_ script: Script) throws(Problem) {
    let outcome = try wait { await $0.open(script, givingTo: Self.engine, "receive") }
    switch outcome {
    case .finished: break
    case .failed(let failure), .notLoaded(let failure): throw problem(failure)
    case .stopped, .exited: throw problem(outcome, traceback: "", in: "its top level")
    }
  }

  /// Calls a function of the engine.
  ///
  /// - Parameter what: What the call is in messages, such as an event.
  func call(
    _ function: String, _ arguments: [JSON] = [], for what: String? = nil
  ) throws(Problem) -> JSON {
    let what = what ?? function
    let limit = limit
    let result = try wait { await $0.call(Self.engine, function, arguments, within: limit) }
    switch result {
    case .returned(let value): return value
    case .failed(let failure): throw problem(failure)
    case .timedOut(let traceback, _):
      throw problem(.stopped(.time), traceback: traceback, in: what)
    case .stopped(let outcome, let traceback):
      throw problem(outcome, traceback: traceback, in: what)
    case .cancelled: throw Problem(message: "\(name.printable): the reporter has ended", hint: nil)
    }
  }

  /// Waits for the tasks that the script has started and not awaited.
  func waitForTasks() throws(Problem) {
    let limit = limit
    if try !wait({ await $0.awaitTasks(within: limit) }) {
      throw problem(.stopped(.time), traceback: "", in: "a task after finish")
    }
  }

  /// The text that the script has printed since the last call of this function.
  func takeOutput() -> [String] {
    opened.output.withLock { output in
      let taken = output
      output = []
      return taken
    }
  }

  /// Ends the script and everything that it started.
  ///
  /// - Returns: The failures of tasks that the script has not awaited.
  @discardableResult
  func close() -> [Problem] {
    guard !hasEnded.load(ordering: .relaxed) else { return [] }
    let opened = opened
    let left = try? wait { interpreter -> Leftovers in
      let left = await interpreter.sweep(within: .seconds(1), isLast: true)
      // Runs the script's finalizers.
      interpreter.close()
      opened.interpreter = nil
      return left
    }
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return [] }
    loop.stop()
    loop.join()
    return (left?.failures ?? []).map(problem)
  }

  /// Runs work on the script's thread, and stops the script if that takes too long.
  private func wait<Value: Sendable>(
    _ work: @escaping @Sendable (Interpreter) async -> Value
  ) throws(Problem) -> Value {
    let result = PendingValue<Value>()
    let handle = PendingValue<ScriptStopHandle>()
    loop.perform { [opened] in
      guard let interpreter = opened.interpreter else { return }
      handle.set(interpreter.stopHandle)
      opened.outputSize = 0
      interpreter.begin { result.set(await work(interpreter)) }
    }
    // Waits of the script end at the limit by themselves, and are reported better.
    if let value = result.wait(limit + .milliseconds(500)) { return value }
    handle.wait(.zero)?.request(.time)
    if let value = result.wait(Self.grace) { return value }
    hasEnded.store(true, ordering: .relaxed)
    loop.stop()
    throw Problem(
      message:
        "\(name.printable): the reporter cannot be stopped: it is inside a function of C or a "
        + "finalizer",
      hint: "look for string.find with a costly pattern, io.read or __gc")
  }

  // MARK: Problems

  private func problem(_ failure: ScriptFailure) -> Problem {
    // What the script printed too much is refused in luath's own code.
    let own = failure.place.flatMap { $0.hasPrefix("luath/") ? nil : $0 }
    let place = own ?? Traceback(failure.traceback).place ?? name
    let code = failure.code.map { "\($0): " } ?? ""
    return Problem(
      message: "\(place.printable): \(code.printable)\(failure.message.printable)",
      hint: failure.hint?.printable)
  }

  private func problem(
    _ outcome: ScriptOutcome, traceback: String, in what: String
  ) -> Problem {
    let place = (Traceback(traceback).place ?? name).printable
    switch outcome {
    case .failed(let failure), .notLoaded(let failure): return problem(failure)
    case .exited:
      return Problem(
        message: "\(place): the reporter calls os.exit", hint: "return instead; luath ends the run")
    default:
      let seconds = limit / .seconds(1)
      let time = seconds.rounded() == seconds ? "\(Int(seconds)) s" : "\(seconds) s"
      return Problem(
        message: "\(place): the reporter took more than \(time) for \(what)",
        hint:
          "look for a loop without an end or a slow server; each event and finish may take \(time)"
      )
    }
  }
}

extension ReporterScript.Opened {
  /// `write` of the module for the engine.
  fileprivate func write(_ arguments: [JSON]) throws(LuaError) -> JSON {
    let text = arguments.first?.string ?? ""
    outputSize += text.utf8.count
    guard outputSize <= ReporterScript.mostOutput else {
      throw .message("a reporter may print 32 MiB at a time")
    }
    output.withLock { $0.append(text) }
    return .null
  }
}
