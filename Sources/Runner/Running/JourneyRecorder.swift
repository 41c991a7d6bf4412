import Scripting

/// Hears what scripts do, and which journey it belongs to.
protocol JourneyRecorder: RunObserver {
  /// What comes from now on belongs to this attempt; nil for what comes between journeys.
  func begin(_ place: EventPlace?)

  /// The attempt has ended.
  func end(_ status: AttemptStatus)

  /// The numbers of the last exchanges, which a failure names.
  var lastExchanges: [Int] { get }
}
