import Synchronization

/// Passes events on to everybody who wants them, one after the other.
public final class EventHub: Sendable {
  private struct State {
    let sinks: [any EventSink]
    /// What happened before the run began, for after it; nil when it has.
    var early: [RunEvent]?

    mutating func post(_ event: RunEvent) {
      if case .runStart = event.kind {
        let waiting = early ?? []
        early = nil
        for event in [event] + waiting.map({ RunEvent(at: event.at, place: $0.place, $0.kind) }) {
          for sink in sinks { sink.take(event) }
        }
      } else if early != nil {
        early?.append(event)
      } else {
        for sink in sinks { sink.take(event) }
      }
    }
  }

  private let state: Mutex<State>
  private let began = ContinuousClock.now
  /// Whether somebody wants every exchange.
  public let wantsExchanges: Bool

  /// What no event shows.
  public let secrets: RunSecrets

  /// A hub whose clock starts now.
  ///
  /// - Parameter waitsForStart: Whether events before the beginning of the run, such as what files print
  ///   when they are read, are told after it, or never when the run does not begin.
  public init(
    _ sinks: sending [any EventSink], secrets: RunSecrets = RunSecrets(),
    waitsForStart: Bool = false
  ) {
    self.secrets = secrets
    wantsExchanges = sinks.contains(where: \.wantsExchanges)
    state = Mutex(State(sinks: sinks, early: waitsForStart ? [] : nil))
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
    state.withLock { state in
      // Under the lock, so that times never run backwards.
      state.post(RunEvent(at: now, place: place, kind))
    }
  }

  /// Tells of something that happened at a time of its own, and holds no secrets.
  public func post(_ event: RunEvent) {
    state.withLock { $0.post(event) }
  }

  /// Lets everybody finish, and gives what went wrong.
  public func end() -> [SinkError] {
    state.withLock { state in
      var errors: [SinkError] = []
      for sink in state.sinks {
        do throws(SinkError) { try sink.end() } catch { errors.append(error) }
      }
      return errors
    }
  }
}
