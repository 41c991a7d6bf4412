import Synchronization

/// Passes events on to all sinks, in one order for all of them.
///
/// Each report has a thread and a buffer of its own: see ``ReportWriter``.
public final class EventHub: Sendable {
  private struct State {
    let sinks: [any EventSink]
    let reports: [ReportWriter]
    /// What happened before the run began, for after it; nil when it has.
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
  /// Whether somebody wants every exchange.
  public let wantsExchanges: Bool

  /// What no event shows.
  public let secrets: RunSecrets

  /// A hub whose clock starts now.
  ///
  /// - Parameters:
  ///   - sinks: Receive each event at once, on the thread that posts it.
  ///   - reports: Receive the events on threads of their own, as they may be slow.
  ///   - waitsForStart: Whether events before the beginning of the run, such as what files print
  ///     when they are read, are told after it, or never when the run does not begin.
  public init(
    _ sinks: sending [any EventSink], reports: sending [any EventSink] = [],
    secrets: RunSecrets = RunSecrets(), waitsForStart: Bool = false
  ) {
    self.secrets = secrets
    wantsExchanges =
      sinks.contains(where: \.wantsExchanges) || reports.contains(where: \.wantsExchanges)
    let writers = Self.writers(reports)
    self.reports = writers
    state = Mutex(State(sinks: sinks, reports: writers, early: waitsForStart ? [] : nil))
  }

  deinit {
    for report in reports { report.drop() }
  }

  private static func writers(_ reports: sending [any EventSink]) -> [ReportWriter] {
    // Unchecked, because nobody else has the reports, and each goes to one writer.
    reports.map { report in
      nonisolated(unsafe) let report = report
      return ReportWriter(report)
    }
  }

  /// Milliseconds since the hub was made.
  public var now: Double { Self.milliseconds(began.duration(to: .now)) }

  /// Milliseconds since the hub was made, at a moment.
  public func time(of moment: ContinuousClock.Instant) -> Double {
    Self.milliseconds(began.duration(to: moment))
  }

  static func milliseconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    // Whole microseconds, so that few digits are written.
    return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1000
  }

  /// Milliseconds since another time of this clock.
  func duration(since time: Double) -> Double { ((now - time) * 1000).rounded() / 1000 }

  /// Tells of something that happens now, without the secrets in it.
  public func post(_ kind: RunEvent.Kind, at place: EventPlace? = nil) {
    let kind = secrets.clean(kind)
    if case .journeyStart = kind { waitForRoom(below: ReportWriter.bytesBeforeJourney) }
    state.withLock { state in
      // Under the lock, so that times never run backwards.
      state.post(RunEvent(at: now, place: place, kind))
    }
    waitForRoom(behind: kind)
  }

  /// Tells of something that happened at a time of its own, and holds no secrets.
  public func post(_ event: RunEvent) {
    state.withLock { $0.post(event) }
    waitForRoom(behind: event.kind)
  }

  /// Outside the lock, so that others can post meanwhile, above all the end of the run.
  private func waitForRoom(behind kind: RunEvent.Kind) {
    if case .runEnd = kind { return }
    waitForRoom(below: ReportWriter.mostBytes)
  }

  private func waitForRoom(below limit: Int) {
    for report in reports { report.waitForRoom(below: limit) }
  }

  /// The run is to end early: from now on a report that is not read holds up nothing for long.
  public func interrupt() {
    for report in reports { report.hurry() }
  }

  /// Ends all sinks, and returns what went wrong.
  ///
  /// A report whose reader is slow, such as a pager, is waited for, unless the run was interrupted.
  public func end() -> [SinkError] {
    // All reports end side by side: a slow one delays no other.
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
