import HTTP
import Host
import IdentityToolkit
import Synchronization
import System

/// Counts the steps and exchanges of one virtual user.
final class LoadRecorder: JourneyRecorder {
  private struct OpenStep {
    let number: Int64
    let name: String
    let began: Double
  }

  private struct State {
    var journey = LoadSubject(.journey, "")
    /// False for a journey of the warm-up.
    var isMeasured = true
    /// False outside of journeys, where nothing is counted.
    var isCounting = false
    var steps: [OpenStep] = []
    /// The secrets of this journey only: those of all journeys would fill the memory.
    var secrets = RunSecrets()
  }

  /// The maximum size of `names`, above the number of steps and endpoints in any suite.
  private static let mostNames = 1000

  let options: JSON
  private let clock: LoadClock
  private let board: SharedRunState
  private let state = Mutex(State())
  /// Names with secrets removed, by original name.
  private let names = Mutex<[String: String]>([:])
  /// The secrets in the target's settings, which failure messages may contain.
  private let settingsSecrets = Mutex<[String]>([])

  init(_ clock: LoadClock, _ board: SharedRunState, options: JSON) {
    self.clock = clock
    self.board = board
    self.options = options
  }

  /// Begins a journey; what is counted from now on belongs to it.
  func prepare(_ journey: LoadSubject, isMeasured: Bool) {
    state.withLock { $0 = State(journey: journey, isMeasured: isMeasured) }
  }

  /// Sets the secrets of the target's settings.
  func hide(_ secrets: [String]) { settingsSecrets.withLock { $0 = secrets } }

  func begin(_ place: EventSource?, of journey: PlannedJourney?) {
    board.letGo(of: self)
    state.withLock { $0.isCounting = place != nil && $0.isMeasured }
  }

  func end(_ status: AttemptStatus) { state.withLock { $0.isCounting = false } }

  var lastExchanges: [Int] { [] }

  var exchangeSummaries: [Int: String] { [:] }

  /// Removes the secrets of the current journey from a text.
  func clean(_ text: String) -> String {
    let secrets = state.withLock(\.secrets)
    secrets.mark(settingsSecrets.withLock { $0 })
    secrets.learn()
    return secrets.clean(text, as: .words)
  }

  /// Removes the secrets from a frequent name, with a cache.
  private func shown(_ name: String) -> String {
    if let known = names.withLock({ $0[name] }) { return known }
    let shown = clean(name)
    names.withLock { if $0.count < Self.mostNames { $0[name] = shown } }
    return shown
  }

  func emitted(_ kind: String, _ fields: JSON) {
    guard let number = fields["step"]?.integer, state.withLock(\.isMeasured) else { return }
    let now = clock.now
    switch kind {
    case "step.start":
      let name = fields["name"]?.string ?? ""
      let parent = fields["parent"]?.integer
      state.withLock { state in
        let around = state.steps.last { $0.number == parent }.map { "\($0.name) > " } ?? ""
        state.steps.append(OpenStep(number: number, name: around + name, began: now))
      }
    case "step.end":
      let hasFailed = fields["status"]?.string == AttemptStatus.failed.rawValue
      let (step, journey) = state.withLock { state in
        let index = state.steps.lastIndex { $0.number == number }
        return (index.map { state.steps.remove(at: $0) }, state.journey)
      }
      guard let step, !(hasFailed && clock.isCut) else { return }
      let name = shown(step.name)
      clock.count {
        $0.step(name, of: journey, duration: now - step.began, failed: hasFailed)
      }
      clock.samples?.add(
        "group_duration", now - step.began, journey: journey.name, step: name, failed: hasFailed)
    default: break
    }
  }

  /// Counts a request that has ended.
  private func count(
    _ endpoint: String, duration: Double, failed: Bool, _ timings: HTTPTimings?
  ) {
    guard state.withLock(\.isCounting) else { return }
    let now = clock.measured
    let name = shown(endpoint)
    clock.count {
      $0.request(name, at: now, duration: duration, failed: failed, timings: timings)
    }
    guard let samples = clock.samples else { return }
    let journey = state.withLock(\.journey)
    samples.add(
      "http_req_duration", duration, name: name, journey: journey.name, failed: failed)
  }

  func marked(secret: String, kind: SecretKind, isSetting: Bool) {
    state.withLock(\.secrets).mark(secret, kind: kind)
  }

  /// Records the secrets of an exchange, because failure messages may contain them.
  func note(_ exchange: ObservedExchange) { state.withLock(\.secrets).note(exchange) }

  func claim(_ name: String) -> (isHeld: Bool, value: JSON?) { board.claim(name, for: self) }

  func release(_ name: String, _ value: JSON?) { board.release(name, value, of: self) }
}

extension LoadRecorder {
  /// Counts an exchange.
  ///
  /// It failed when there was no response, or one with status 429 or 5xx.
  func exchanged(_ exchange: ObservedExchange) {
    note(exchange)
    if isBrokenOff(exchange) { return }
    let response = try? exchange.result.get()
    let hasFailed = response.map { $0.status >= 500 || $0.status == 429 } ?? true
    count(
      Self.endpoint(of: exchange), duration: EventHub.milliseconds(exchange.duration),
      failed: hasFailed, response?.timings)
  }

  /// Whether the exchange was canceled because its journey was ended; it says nothing about the target.
  private func isBrokenOff(_ exchange: ObservedExchange) -> Bool {
    guard clock.isCut, case .failure(let error) = exchange.result else { return false }
    return error.code == .cancelled
  }

  /// Returns the operation of a Firebase call; for other servers the method, host and path.
  private static func endpoint(of exchange: ObservedExchange) -> String {
    let route = ExchangeRoute(exchange)
    let url = exchange.request.url
    switch route.receiver {
    case .toolkit: return route.operation ?? url.path
    default:
      let host = exchange.isEmulator ? "" : url.host
      return "\(exchange.request.method) \(host)\(url.path)"
    }
  }
}
