/// Consumes the events of a run: a report, a file, a progress bar.
///
/// Calls come one after the other. Those of a report come from one thread, those of other sinks from any.
public protocol EventSink: AnyObject {
  /// Whether it wants every HTTP exchange and page; others see those of failures only.
  var wantsExchanges: Bool { get }

  /// Records an event. Only a report may wait for long: the run waits for all other sinks.
  func take(_ event: RunEvent)

  /// Finishes, once, after the last event; also after an interrupted run.
  ///
  /// - Throws: What could not be written and why.
  func end() throws(SinkError)
}

/// Why a report could not be written.
public struct SinkError: Error, Sendable {
  /// What happened, in lower case.
  public let message: String
  /// What to do about it.
  public let hint: String

  /// Describes what went wrong and what to do.
  public init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }
}
