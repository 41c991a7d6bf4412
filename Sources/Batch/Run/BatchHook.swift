import Glibc
import HTTP
import Host
import SignIn
import System

/// A command or URL that a run calls at its start, when it fails, or at its end.
struct BatchHook: Sendable {
  enum Event: String, Sendable, CaseIterable {
    case start, failure, end

    /// The option that sets the hook.
    var option: String { "on-\(rawValue)" }
  }

  private enum Action: Sendable {
    /// Run by `/bin/sh -c`.
    case command(String)
    /// Receives a POST request.
    case post(WebURL)
  }

  let event: Event
  private let action: Action
  /// How long the hook may take; then a command is killed with its descendants.
  var limit = Duration.seconds(30)

  /// Parses the value of the option: an http or https URL, else a command.
  init(_ event: Event, _ text: String) throws(UsageError) {
    self.event = event
    if text.hasPrefix("http://") || text.hasPrefix("https://") {
      guard let url = WebURL(text) else {
        throw UsageError(
          "--\(event.option) takes a command or an address such as https://hooks.example/luath",
          hint: "an address has no user name or password")
      }
      action = .post(url)
    } else {
      guard !text.allSatisfy(\.isWhitespace) else {
        throw UsageError("--\(event.option) needs a command or an http address")
      }
      action = .command(text)
    }
  }

  /// The hook as text for users, without the parts of the address that may be secret.
  var name: String {
    switch action {
    case .command: "the command of --\(event.option)"
    case .post(let url): "--\(event.option) at \(url.origin)"
    }
  }

  /// Calls the hook with an event, and waits for its end.
  ///
  /// - Parameters:
  ///   - facts: The event, which has no secrets.
  ///   - environment: The variables of a command.
  /// - Returns: What went wrong; nil if the hook ended well.
  func call(_ facts: JSONObject, _ environment: [String: String], on loop: EventLoop) async
    -> String?
  {
    switch action {
    case .command(let command):
      return await run(
        command, JSON.object(facts).encodedBytes() + [0x0A],
        environment.merging(Self.variables(facts)) { $1 })
    case .post(let url):
      var request = HTTPRequest.post(url, json: .object(facts))
      request.timeout = limit
      return await LoopActor(loop).run { [request] _ in
        do throws(HTTPError) {
          let status = try await HTTPClient(loop: loop).send(request).status
          return (200..<300).contains(status) ? nil : "it responds with the status \(status)"
        } catch {
          return error.message.printable
        }
      }
    }
  }

  /// The members of an event that are not objects, as `LUATH_BATCH_` variables.
  private static func variables(_ facts: JSONObject) -> [String: String] {
    var variables: [String: String] = [:]
    for (key, value) in facts.entries {
      let name = key.flatMap { $0.isUppercase ? "_\($0)" : $0.uppercased() }
      switch value {
      case .string(let text):
        variables["LUATH_BATCH_\(String(name))"] = text.replacing("\0", with: "")
      case .integer(let number): variables["LUATH_BATCH_\(String(name))"] = "\(number)"
      default: break
      }
    }
    return variables
  }

  private func run(
    _ command: String, _ input: [UInt8], _ environment: [String: String]
  ) async -> String? {
    // An event fits into the buffer of a pipe (64 KiB), so it is written before the program reads.
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return SystemError(errno).message }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let written = input.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    close(ends[1])
    guard written == input.count else { return "the event does not fit into a pipe" }
    let process: ProcessSupervisor
    do throws(SystemError) {
      process = try ProcessSupervisor(
        program: "/bin/sh", arguments: ["-c", command],
        environment: environment.map { "\($0.key)=\($0.value)" }, input: ends[0],
        output: STDERR_FILENO, folder: nil)
    } catch {
      return error.message
    }
    defer { process.close() }
    let start = ContinuousClock.now
    while true {
      switch process.state {
      case .running: break
      case .ended(code: 0): return nil
      case .ended(let code): return "it exits with \(code)"
      case .notStarted(let error): return "it cannot be started: \(error.message)"
      case .gone: return "it was killed"
      }
      guard start.duration(to: .now) < limit else {
        let seconds = limit / .seconds(1)
        let time = seconds.rounded() == seconds ? "\(Int(seconds))" : "\(seconds)"
        return "it did not end within \(time) s and was killed"
      }
      // A process has no event for the loop.
      try? await Task.sleep(for: .milliseconds(10))
    }
  }
}

/// The hooks of one run, with what their events have in common.
struct BatchHooks: Sendable {
  let hooks: [BatchHook]
  /// The members of each event: which plan, run and project.
  let facts: JSONObject
  /// The environment of commands.
  let environment: [String: String]
  let loop: EventLoop
  let warn: @Sendable (_ message: String, _ hint: String) -> Void

  /// Calls the hook of the start.
  ///
  /// - Throws: If it fails; no call may be made then.
  func start() async throws(BatchProblem) {
    guard let (hook, fault) = await call(.start, [:]) else { return }
    throw BatchProblem(
      .unavailable, "\(hook.name) failed: \(fault)",
      hint: "no row was begun; the same command runs the plan when the hook ends well")
  }

  /// Calls the hook of a failure, if the run failed, and that of the end; their failures are warnings.
  func end(_ result: Result<(end: BatchEnd, status: ExitStatus), BatchProblem>) async {
    let outcome = Outcome(result)
    for event in outcome.reason == nil ? [.end] : [BatchHook.Event.failure, .end] {
      guard let (hook, fault) = await call(event, outcome.json) else { continue }
      warn("\(hook.name) failed: \(fault)", "the run is not affected")
    }
  }

  private func call(
    _ event: BatchHook.Event, _ more: JSONObject
  ) async -> (hook: BatchHook, fault: String)? {
    guard let hook = hooks.first(where: { $0.event == event }) else { return nil }
    var object: JSONObject = [
      "event": .string(event.rawValue), "at": .string(Timestamp.text(milliseconds: Timestamp.now)),
    ]
    for (key, value) in facts.entries + more.entries { object[key] = value }
    return await hook.call(object, environment, on: loop).map { (hook, $0) }
  }

  /// How a run ended.
  private struct Outcome {
    /// Why the run failed; nil if it did not: all is done, or it was drained.
    var reason: String?
    var json: JSONObject = [:]

    init(_ result: Result<(end: BatchEnd, status: ExitStatus), BatchProblem>) {
      var status: ExitStatus
      var message: String?
      switch result {
      case .failure(let problem):
        status = .code(CommandFailure(problem).code)
        (reason, message) = ("problem", problem.message)
      case .success((let end, let given)):
        status = given
        if let problem = end.problem {
          status = .code(CommandFailure(problem).code)
          (reason, message) = ("problem", problem.message)
        } else if end.spentErrors {
          (reason, message) = ("maxErrors", "more rows failed than --max-errors allows")
        } else if given.rawValue == ExitCode.failed.rawValue {
          let count = end.status.tally.failed
          reason = count > 0 ? "rowsFailed" : "rowsRefused"
          message =
            count > 0
            ? "\(BatchDisplay.rows(count)) failed" : "the plan refuses rows"
        }
        let object = end.status.json.object ?? [:]
        for name in ["rows", "steps", "seconds", "throttles"] { json[name] = object[name] }
        let rows = end.status.tally.rows
        json["done"] = .integer(rows[.done] ?? 0)
        json["failed"] = .integer(end.status.tally.failed)
        json["left"] = .integer((rows[.waiting] ?? 0) + (rows[.claimed] ?? 0))
      }
      json["exitCode"] = .integer(Int64(status.rawValue))
      json["reason"] = reason.map(JSON.string)
      // Long texts of servers would not fit into a pipe.
      json["message"] = message.map { .string(String($0.printable.prefix(2000))) }
    }
  }
}
