/// Consumes the events of a run: a report, a file, a progress bar.
///
/// Calls are never concurrent. A report is called from one thread, other sinks from any thread.
protocol EventSink: AnyObject {
  /// Whether the sink wants every HTTP exchange and page; without it, it gets those of failures only.
  var wantsExchanges: Bool { get }

  /// Records an event. Only a report may block for long: the run waits for all other sinks.
  func take(_ event: RunEvent)

  /// Finishes the output. Called once, after the last event, also when the run was interrupted.
  ///
  /// - Throws: `SinkError` when something could not be written.
  func end() throws(SinkError)
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
