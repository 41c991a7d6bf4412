@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import Journeys
@testable import Host
@testable import SignIn
import Synchronization

/// Runs a text of journeys against an emulator of its own and keeps every event.
struct TracedRun {
  var trace = TraceMode.automatic
  /// Whether a report is there that wants every exchange.
  var wantsExchanges = true
  var environment: [String: String] = [:]
  /// When pages are recorded.
  var pages: PageRecorder.Moment? = .failure

  private static let keys = SigningKeys()

  func events(_ text: String) async throws -> [RunEvent] {
    let sink = KeptEvents(wantsExchanges)
    let kept = sink.events
    let hub = EventHub([sink])
    var settings = RunSettings()
    settings.trace = trace
    settings.pages = pages
    settings.timeout = .seconds(30)
    let environment = environment
    let run = TestRun(settings, hub: hub, read: { _ in Array(text.utf8) }) {
      () async throws(RunProblem) in
      do {
        let emulator = try Emulator(project: .demo, rules: .production, keys: Self.keys)
        let port = try await emulator.start()
        guard let origin = WebURL("http://127.0.0.1:\(port)") else { fatalError("no address") }
        return WorkerTarget(
          isInside: true,
          context: { observer in
            ScriptContext(
              target: Target(
                projectID: ProjectConfiguration.demo.id, apiKey: Secret("an-api-key"),
                backend: .emulator(origin)), observer: observer, environment: environment)
          }, renew: { _ in await emulator.renew() }, close: { await emulator.stop() })
      } catch {
        throw RunProblem("\(error)", hint: "")
      }
    }
    let script = Script(text: Array(text.utf8), name: "traced_journey.lua", folder: nil)
    _ = try await run.run(try await run.collect([script]))
    return kept.all
  }
}

/// Keeps what it is told.
private final class KeptEvents: EventSink {
  let wantsExchanges: Bool
  let events = EventList()

  init(_ wantsExchanges: Bool) { self.wantsExchanges = wantsExchanges }

  func take(_ event: RunEvent) { events.add(event) }

  func end() {}
}

/// Events that one thread adds and another reads.
final class EventList: Sendable {
  private let list = Mutex<[RunEvent]>([])

  func add(_ event: RunEvent) { list.withLock { $0.append(event) } }

  var all: [RunEvent] { list.withLock { $0 } }
}

extension [RunEvent] {
  var exchanges: [(place: EventSource?, exchange: ExchangeEvent)] {
    compactMap { event in
      guard case .exchange(let exchange) = event.kind else { return nil }
      return (event.place, exchange)
    }
  }

  var pages: [PageEvent] {
    compactMap { if case .page(let page) = $0.kind { page } else { nil } }
  }

  var prints: [String] {
    compactMap { event in
      guard case .log(let log) = event.kind, log.level == .print else { return nil }
      return log.text
    }
  }

  var ends: [JourneyEnd] {
    compactMap { if case .journeyEnd(let end) = $0.kind { end } else { nil } }
  }

  /// Everything that is in them, as one text.
  var everything: String { map { String(reflecting: $0) }.joined(separator: "\n") }
}
