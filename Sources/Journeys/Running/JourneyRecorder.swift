import Host

/// Observes scripts and assigns what they do to the current attempt.
protocol JourneyRecorder: RunObserver {
  /// Begins an attempt; nil for the time between journeys.
  func begin(_ place: EventSource?)

  func end(_ status: AttemptStatus)

  /// The numbers of the last exchanges, for failures.
  var lastExchanges: [Int] { get }
}
