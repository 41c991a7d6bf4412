import Synchronization

/// Passes events on to everybody who wants them, one after the other.
public final class EventHub: Sendable {
  private let sinks: Mutex<[any EventSink]>
  private let began = ContinuousClock.now
  /// Whether somebody wants every exchange.
  public let wantsExchanges: Bool

  /// What no event shows.
  public let secrets: RunSecrets

  /// A hub whose clock starts now.
  public init(_ sinks: sending [any EventSink], secrets: RunSecrets = RunSecrets()) {
    self.secrets = secrets
    wantsExchanges = sinks.contains(where: \.wantsExchanges)
    self.sinks = Mutex(sinks)
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
    sinks.withLock { sinks in
      // Under the lock, so that times never run backwards.
      let event = RunEvent(at: now, place: place, kind)
      for sink in sinks { sink.take(event) }
    }
  }

  /// Tells of something that happened at a time of its own, and holds no secrets.
  public func post(_ event: RunEvent) {
    sinks.withLock { sinks in for sink in sinks { sink.take(event) } }
  }

  /// Lets everybody finish, and gives what went wrong.
  public func end() -> [SinkError] {
    sinks.withLock { sinks in
      var errors: [SinkError] = []
      for sink in sinks {
        do throws(SinkError) { try sink.end() } catch { errors.append(error) }
      }
      return errors
    }
  }
}
