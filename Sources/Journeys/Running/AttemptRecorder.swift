import Host
import SignIn
import Synchronization
import System

/// Turns the actions of one worker's scripts into events.
final class AttemptRecorder: JourneyRecorder {
  let options: JSON
  private let hub: EventHub
  private let board: SharedRunState
  private let trace: TraceMode
  private let state: Mutex<AttemptTrace>
  private let snapshots: SnapshotBook?
  private let named = Mutex<AttemptSnapshots?>(nil)
  /// The names that `j:unique` made in the attempt.
  private let made = Mutex<[String]>([])
  /// Where `--pages` saves attachments; nil without it.
  private let folder: SignInTrace?
  let pageMoment: PageRecorder.Moment?
  let recordsEvidence: Bool

  /// - Parameters:
  ///   - pages: When pages are recorded, if a report or a folder takes them; nil: only when a script asks.
  ///   - folder: Where `--pages` saves attachments; nil without it.
  init(
    _ hub: EventHub, board: SharedRunState, trace: TraceMode = .automatic,
    pages: PageRecorder.Moment? = nil, folder: SignInTrace? = nil,
    snapshots: SnapshotBook? = nil, options: JSON
  ) {
    self.hub = hub
    self.board = board
    self.snapshots = snapshots
    self.trace = trace == .automatic && hub.wantsExchanges ? .all : trace
    self.options = options
    self.folder = folder
    recordsEvidence = hub.wantsEvidence || folder != nil
    pageMoment = recordsEvidence ? pages : nil
    state = Mutex(AttemptTrace(nil, began: hub.now, keepsAll: Self.keepsAll(self.trace)))
  }

  var recordsBrowserLogs: Bool { Self.keepsAll(trace) }

  private static func keepsAll(_ trace: TraceMode) -> Bool { trace == .all || trace == .onFailure }

  /// Begins an attempt; nil for the time between journeys.
  func begin(_ place: EventSource?, of journey: PlannedJourney?) {
    // A journey that was stopped may still hold a claim on a name.
    board.letGo(of: self)
    named.withLock { $0 = journey.map { AttemptSnapshots($0) } }
    made.withLock { $0 = [] }
    tell(
      state.withLock { trace in
        let previous = trace
        trace = AttemptTrace(place, began: hub.now, keepsAll: Self.keepsAll(self.trace))
        return previous
      }, hasFailed: false)
  }

  /// Ends the attempt and posts its exchanges.
  ///
  /// Not earlier, because the last exchange may be the first to show that a value in the others is secret.
  func end(_ status: AttemptStatus) {
    named.withLock { $0 = nil }
    let ended = state.withLock { trace in
      let ended = trace
      trace = AttemptTrace(nil, began: hub.now, keepsAll: Self.keepsAll(self.trace))
      return ended
    }
    tell(ended, hasFailed: status == .failed || status == .interrupted)
  }

  private func tell(_ ended: AttemptTrace, hasFailed: Bool) {
    var ended = ended
    switch trace {
    case .all: break
    case .automatic where hasFailed: ended.keepLast()
    case .onFailure where hasFailed: break
    case .onFailure, .automatic, .off: ended.keepEvidence()
    }
    if !hasFailed, pageMoment != .step { ended.evidence.dropFailures() }
    guard !ended.isEmpty else { return }
    hub.secrets.learn()
    for event in ended.events(hub, folder: folder) { hub.post(event) }
  }

  func emitted(_ kind: String, _ fields: JSON) {
    switch kind {
    case "step.start": beginStep(fields)
    case "step.end": endStep(fields)
    case "assert":
      var failure = Failure(fields["failure"] ?? fields)
      failure.exchanges = lastExchanges
      hub.post(
        .assert(AssertEvent(isSoft: fields["soft"]?.bool ?? false, failure: failure)), at: place)
    case "log":
      let level = fields["level"]?.string.flatMap(LogEvent.Level.init) ?? .info
      hub.post(.log(LogEvent(level: level, text: fields["text"]?.string ?? "")), at: place)
    default: break
    }
  }

  func marked(secret: String, kind: SecretKind, isSetting: Bool) {
    hub.secrets.mark(secret, kind: kind, isSetting: isSetting)
  }

  func clean(_ text: String) -> String {
    hub.secrets.learn()
    return hub.secrets.clean(text)
  }

  func label(of text: String, under name: String?) -> String? {
    hub.secrets.label(of: text, under: name)
  }

  func snapshot(_ value: JSON, named name: String?) -> JSON? {
    let (script, key) = named.withLock { ($0?.script, $0?.next(name)) }
    guard let snapshots, let script else { return nil }
    guard let key else { return ["status": "twice"] }
    let text = SnapshotText(value, hiding: hub.secrets, made: made.withLock(\.self)).text
    return snapshots.compare(text, key, of: script)
  }

  /// How many names of an attempt are replaced in snapshots.
  private static let mostNames = 1000

  func made(_ name: String) {
    guard snapshots != nil else { return }
    made.withLock { if $0.count < Self.mostNames { $0.append(name) } }
  }

  func exchanged(_ exchange: ObservedExchange) {
    hub.secrets.note(exchange)
    state.withLock { $0.add(exchange) }
  }

  func acted(_ action: PageAction) {
    let now = hub.now
    state.withLock { $0.add(action, at: now) }
  }

  func took(_ evidence: PageEvidence) {
    let now = hub.now
    state.withLock { $0.evidence.add(evidence, at: now) }
  }

  func attached(_ attachment: ScriptAttachment) {
    guard recordsEvidence else { return }
    let now = hub.now
    state.withLock { $0.evidence.add(attachment, at: now) }
  }

  func logged(_ entries: [BrowserEntry]) {
    state.withLock { trace in
      for entry in entries {
        trace.evidence.add(entry, at: hub.time(sinceEpoch: entry.moment, after: trace.began))
      }
    }
  }

  var exchangeCount: Int { state.withLock(\.count) }

  /// The numbers of the last exchanges, for failures; empty when tracing is off.
  var lastExchanges: [Int] { trace == .off ? [] : state.withLock(\.lastNumbers) }

  /// One line for each of the last exchanges, by number.
  var exchangeSummaries: [Int: String] {
    let last = state.withLock { $0.exchanges.suffix(AttemptTrace.last) }
    return Dictionary(
      last.map { ($0.number, hub.secrets.event($0.exchange, number: $0.number).summary) },
      uniquingKeysWith: { $1 })
  }

  func claim(_ name: String) -> (isHeld: Bool, value: JSON?) { board.claim(name, for: self) }

  func release(_ name: String, _ value: JSON?) { board.release(name, value, of: self) }

  /// The attempt and the innermost open step.
  private var place: EventSource? {
    let now = hub.now
    return state.withLock { $0.place(at: now) }
  }

  private func beginStep(_ fields: JSON) {
    guard let number = fields["step"]?.integer.map(Int.init) else { return }
    let parent = fields["parent"]?.integer.map(Int.init)
    let now = hub.now
    var place = state.withLock { trace in
      trace.begin(number, at: now)
      return trace.place
    }
    place?.step = number
    let start = StepStart(
      parent: parent, name: fields["name"]?.string ?? "", source: fields["where"]?.string)
    hub.post(.stepStart(start), at: place)
  }

  private func endStep(_ fields: JSON) {
    guard let number = fields["step"]?.integer.map(Int.init) else { return }
    let now = hub.now
    var (place, began) = state.withLock { ($0.place, $0.end(number, at: now)) }
    place?.step = number
    var status = fields["status"]?.string.flatMap(AttemptStatus.init) ?? .passed
    if fields["isCut"]?.bool == true, hub.wasInterrupted { status = .interrupted }
    hub.post(
      .stepEnd(StepEnd(status: status, duration: began.map(hub.duration) ?? 0)), at: place)
  }
}

/// Observes scripts and assigns what they do to the current attempt.
protocol JourneyRecorder: RunObserver {
  /// Begins an attempt; nil for the time between journeys.
  func begin(_ place: EventSource?, of journey: PlannedJourney?)

  func end(_ status: AttemptStatus)

  /// The numbers of the last exchanges, for failures.
  var lastExchanges: [Int] { get }

  /// One line for each of the last exchanges, by number.
  var exchangeSummaries: [Int: String] { get }
}

/// The next piece of cleanup at a journey's end: a hook, `finally`, or a deferred function.
struct JourneyEnding {
  let label: String
  /// The time limit that the engine sets for it.
  let limit: Duration

  init?(_ json: JSON) {
    guard let label = json["label"]?.string, let limit = json["limit"]?.number else { return nil }
    self.label = label
    self.limit = .microseconds(Int64(min(limit, 1e6) * 1e6))
  }
}
