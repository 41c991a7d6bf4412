@testable import SignIn
@testable import Emulator
@testable import System
import Glibc
@testable import HTTP
@testable import IdentityToolkit
@testable import Lua
@testable import Journeys
@testable import Host
import Synchronization
import Testing

/// Whether `make tsan` runs the tests.
let isUnderThreadSanitizer = getenv("LUATH_SANITIZER").map { String(cString: $0) } == "thread"

/// Runs journeys given as text against emulators of their own over HTTP, and keeps what was told of it.
struct JourneyRun {
  var settings = RunSettings()

  /// Making keys takes longer than most journeys.
  private static let keys = SigningKeys()

  /// The events of a run of one file, and what the process would answer.
  func events(
    _ text: String, while meanwhile: (@Sendable (TestRun, RunEvent) -> Void)? = nil
  ) async throws -> (events: [RunEvent], exit: Int) {
    let log = EventLog()
    let hub = EventHub([log])
    let run = TestRun(settings, hub: hub, read: { _ in Array(text.utf8) }) {
      () async throws(RunProblem) in
      try await Self.place()
    }
    // The run holds the log.
    if let meanwhile { log.hear { [weak run] event in run.map { meanwhile($0, event) } } }
    let script = Script(text: Array(text.utf8), name: "a_journey.lua", folder: nil)
    let files = try await run.collect([script])
    let exit = try await run.run(files)
    return (log.all, exit)
  }

  /// The ends of all attempts by the last name of their journey, in order.
  func ends(_ text: String) async throws -> [(name: String, end: JourneyEnd)] {
    try await events(text).events.compactMap { event in
      guard case .journeyEnd(let end) = event.kind, let id = event.place?.journey else {
        return nil
      }
      return (String(id.split(separator: ">").last?.dropFirst() ?? ""), end)
    }
  }

  private static func place() async throws(RunProblem) -> WorkerTarget {
    do {
      let emulator = try Emulator(keys: keys)
      let port = try await emulator.start()
      guard let url = WebURL("http://127.0.0.1:\(port)") else { fatalError("no address") }
      let target = Target(
        projectID: ProjectConfiguration.demo.id, apiKey: Secret("test"), backend: .emulator(url))
      return WorkerTarget(
        isInside: true,
        context: { ScriptContext(target: target, observer: $0) },
        renew: { _ in await emulator.renew() }, close: { await emulator.stop() })
    } catch {
      throw RunProblem("the emulator does not start: \(error)", hint: nil)
    }
  }
}

/// Keeps all events.
final class EventLog: EventSink, Sendable {
  let wantsExchanges = false
  private let events = Mutex<[RunEvent]>([])
  private let hearer = Mutex<(@Sendable (RunEvent) -> Void)?>(nil)

  var all: [RunEvent] { events.withLock { $0 } }

  func hear(_ hear: @escaping @Sendable (RunEvent) -> Void) { hearer.withLock { $0 = hear } }

  func take(_ event: RunEvent) {
    events.withLock { $0.append(event) }
    hearer.withLock { $0 }?(event)
  }

  func end() {}
}

extension [RunEvent] {
  /// What the scripts printed or logged.
  var logged: [String] {
    compactMap { if case .log(let log) = $0.kind { log.text } else { nil } }
  }
}
