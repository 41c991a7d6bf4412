@testable import SignIn
@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import Lua
@testable import Host
import Synchronization
import Testing

/// Runs Lua against an emulator of its own over HTTP, each run with its own loops.
struct ScriptRunner {
  var project = ProjectConfiguration.demo
  var rules = Rules.production
  var memory = 0
  var environment: [String: String] = [:]
  /// The person at the terminal.
  var terminal: SignInTerminal?
  var timeout: Duration = .seconds(30)
  /// Waits for the moment at which the script is stopped, when that is not its timeout.
  var end: (@Sendable () async throws -> Void)?
  /// Where the target is, when it is not the emulator.
  var origin: String?
  /// Whether the target is a stand-in for Firebase's emulator; its rules are `rules`.
  var isFirebase = false
  /// What the target sends with every call.
  var headers: HTTPHeaders = [:]
  /// Further targets, and those that cannot be used.
  var targets: [String: Target] = [:]
  var unusableTargets: [String: String] = [:]
  /// The path of the project file; nil if there is none.
  var projectFile: String?
  /// What the user said of changes to real projects.
  var consent = ProjectGuard.Consent()

  /// Making keys takes longer than most flows.
  private static let keys = SigningKeys()

  /// The outcome of the script, and its trace.
  func outcome(_ text: String, name: String = "test.lua", folder: String? = nil) async throws
    -> (outcome: ScriptOutcome, trace: [String])
  {
    let emulator = try Emulator(project: project, rules: rules, keys: Self.keys)
    let port = try await emulator.start()
    let standIn = isFirebase ? try await FirebaseStandIn(before: port) : nil
    let origin = try #require(WebURL(origin ?? "http://127.0.0.1:\(standIn?.port ?? port)"))
    let lines = Lines()
    var made = ScriptContext(
      target: Target(
        projectID: project.id, apiKey: Secret("test"), backend: .emulator(origin), headers: headers),
      targets: targets, unusableTargets: unusableTargets,
      people: project.people.map {
        var user = EmulatedPerson(
          email: $0.email, password: $0.password.reveal(), providers: $0.providers ?? [])
        user.microsoft = $0.microsoft
        return user
      },
      terminal: terminal, memoryLimit: memory, trace: { lines.add($0) },
      warn: { lines.add("warning: \($0); \($1)") }, environment: environment)
    made.projectGuard = ProjectGuard(consent)
    made.admitsAnyone = project.admitsAnyone
    made.issuers = project.issuers
    if self.origin == nil { made.projectFile = ProjectFileAdvice(path: projectFile, project) }
    let context = made
    let loop = try EventLoop(name: "script")
    try loop.start()
    let script = Script(text: Array(text.utf8), name: name, folder: folder)
    let (timeout, end) = (timeout, end)
    let outcome = await LoopActor(loop).run { actor in
      let interpreter = Interpreter(context: context, actor: actor)
      let handle = interpreter.stopHandle
      let guardian = Task.detached {
        do {
          if let end { try await end() } else { try await Task.sleep(for: timeout) }
          handle.request(.time)
        } catch {
          // The script has ended before.
        }
      }
      let outcome = await interpreter.run(script)
      guardian.cancel()
      _ = await guardian.value
      interpreter.close()
      return outcome
    }
    loop.stop()
    loop.join()
    standIn?.stop()
    await emulator.stop()
    return (outcome, lines.all)
  }

  /// Runs a script that must end well.
  @discardableResult
  func run(
    _ text: String, folder: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    let (outcome, trace) = try await outcome(text, folder: folder)
    switch outcome {
    case .finished: break
    case .failed(let failure), .notLoaded(let failure):
      let hint = failure.hint.map { " (\($0))" } ?? ""
      Issue.record(
        "\(failure.place ?? "?"): \(failure.code ?? "") \(failure.message)\(hint)",
        sourceLocation: sourceLocation)
    default: Issue.record("\(outcome)", sourceLocation: sourceLocation)
    }
    return trace
  }

  /// Runs a script that must fail, and gives what it says.
  func failure(
    of text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ScriptFailure {
    switch try await outcome(text).outcome {
    case .failed(let failure), .notLoaded(let failure): return failure
    case let other:
      Issue.record("the script ended with \(other)", sourceLocation: sourceLocation)
      return ScriptFailure(message: "")
    }
  }
}

private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}
