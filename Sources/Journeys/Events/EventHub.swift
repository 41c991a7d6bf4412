import Host
import Synchronization
import System

/// Passes events to all sinks, in the same order for each.
///
/// Each report has its own thread and buffer: see ``ReportWriter``.
final class EventHub: Sendable {
  private struct State {
    let sinks: [any EventSink]
    let reports: [ReportWriter]
    /// Events from before the run began, to be sent after `run.start`; nil once it was sent.
    var early: [RunEvent]?

    mutating func post(_ event: RunEvent) {
      if case .runStart = event.kind {
        let waiting = early ?? []
        early = nil
        for event in [event] + waiting.map({ RunEvent(at: event.at, place: $0.place, $0.kind) }) {
          send(event)
        }
      } else if early != nil {
        early?.append(event)
      } else {
        send(event)
      }
    }

    private func send(_ event: RunEvent) {
      for sink in sinks { sink.take(event) }
      for report in reports { report.add(event) }
    }
  }

  private let state: Mutex<State>
  private let reports: [ReportWriter]
  private let began = ContinuousClock.now
  private let interrupted = Atomic<Bool>(false)
  /// Whether the run was interrupted.
  var wasInterrupted: Bool { interrupted.load(ordering: .relaxed) }
  /// Whether any sink wants every exchange.
  let wantsExchanges: Bool
  /// Whether any sink wants attachments and pages.
  let wantsEvidence: Bool

  /// The secrets that are removed from events.
  let secrets: RunSecrets

  /// Creates a hub whose clock starts now.
  ///
  /// - Parameters:
  ///   - sinks: Receive each event at once, on the thread that posts it.
  ///   - reports: Receive the events on their own threads, because they may be slow.
  ///   - waitsForStart: Whether to hold back events from before `run.start`, such as what files print
  ///     while they are read. They are sent after it, and dropped if the run does not begin.
  init(
    _ sinks: sending [any EventSink], reports: sending [any EventSink] = [],
    secrets: RunSecrets = RunSecrets(), waitsForStart: Bool = false
  ) {
    self.secrets = secrets
    wantsExchanges =
      sinks.contains(where: \.wantsExchanges) || reports.contains(where: \.wantsExchanges)
    wantsEvidence =
      sinks.contains(where: \.wantsEvidence) || reports.contains(where: \.wantsEvidence)
    let writers = Self.writers(reports)
    self.reports = writers
    state = Mutex(State(sinks: sinks, reports: writers, early: waitsForStart ? [] : nil))
  }

  deinit {
    for report in reports { report.drop() }
  }

  private static func writers(_ reports: sending [any EventSink]) -> [ReportWriter] {
    // Unchecked, because nothing else has a reference to the reports, and each goes to one writer.
    reports.map { report in
      nonisolated(unsafe) let report = report
      return ReportWriter(report)
    }
  }

  /// Milliseconds since the hub was created.
  var now: Double { Self.milliseconds(began.duration(to: .now)) }

  /// Returns the milliseconds from the hub's creation to a time in milliseconds since 1970.
  ///
  /// - Parameter earliest: The result is between this time and now, because a browser elsewhere has its own clock.
  func time(sinceEpoch moment: Double, after earliest: Double) -> Double {
    let now = self.now
    return max(earliest, min(now, now - (Double(Timestamp.now) - moment)))
  }

  /// Returns the milliseconds from the hub's creation to a moment.
  func time(of moment: ContinuousClock.Instant) -> Double {
    Self.milliseconds(began.duration(to: moment))
  }

  static func milliseconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    // Whole microseconds, so that few digits are written.
    return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1000
  }

  /// Returns the milliseconds since an earlier time of this clock.
  func duration(since time: Double) -> Double { ((now - time) * 1000).rounded() / 1000 }

  /// Posts an event with the current time, after its secrets are removed.
  func post(_ kind: RunEvent.Kind, at place: EventSource? = nil) {
    let kind = secrets.clean(kind)
    if case .journeyStart = kind { waitForRoom(below: ReportWriter.bytesBeforeJourney) }
    state.withLock { state in
      // Under the lock, so that times never decrease.
      state.post(RunEvent(at: now, place: place, kind))
    }
    waitForRoom(behind: kind)
  }

  /// Posts an event that has its own time and contains no secrets.
  func post(_ event: RunEvent) {
    state.withLock { $0.post(event) }
    waitForRoom(behind: event.kind)
  }

  /// Waits outside the lock, so that others can post meanwhile, above all the end of the run.
  private func waitForRoom(behind kind: RunEvent.Kind) {
    if case .runEnd = kind { return }
    waitForRoom(below: ReportWriter.mostBytes)
  }

  private func waitForRoom(below limit: Int) {
    for report in reports { report.waitForRoom(below: limit) }
  }

  /// Limits how long a report that is not being read can delay the end of the run.
  func interrupt() {
    interrupted.store(true, ordering: .relaxed)
    for report in reports { report.hurry() }
  }

  /// Ends all sinks and returns their errors.
  ///
  /// Waits for a report whose reader is slow, such as a pager, unless the run was interrupted.
  func end() -> [SinkError] {
    // All reports end in parallel: a slow one does not delay the others.
    for report in reports { report.beginEnd() }
    let errors = state.withLock { state in
      var errors: [SinkError] = []
      for sink in state.sinks {
        do throws(SinkError) { try sink.end() } catch { errors.append(error) }
      }
      return errors
    }
    return errors + reports.compactMap { $0.waitForEnd() }
  }
}

/// Consumes the events of a run: a report, a file, a progress bar.
///
/// Calls are never concurrent. A report is called from one thread, other sinks from any thread.
protocol EventSink: AnyObject {
  /// Whether the sink wants every HTTP exchange and page; without it, it gets those of failures only.
  var wantsExchanges: Bool { get }

  /// Whether the sink shows attachments and pages.
  var wantsEvidence: Bool { get }

  /// Records an event. Only a report may block for long: the run waits for all other sinks.
  func take(_ event: RunEvent)

  /// Finishes the output. Called once, after the last event, also when the run was interrupted.
  ///
  /// - Throws: `SinkError` when something could not be written.
  func end() throws(SinkError)
}

extension EventSink {
  /// Whatever shows all exchanges shows what belongs to them.
  var wantsEvidence: Bool { wantsExchanges }
}

/// Why a report could not be written.
struct SinkError: Error, Sendable {
  /// What happened, starting in lower case.
  let message: String
  /// What to do about it.
  let hint: String

  /// Creates an error from what happened and what to do about it.
  init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }
}
