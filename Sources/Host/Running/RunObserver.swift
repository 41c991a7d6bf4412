public import SignIn
public import System

/// Receives the events of a script for the record of a run.
///
/// Called on the thread of the script's loop, in the order of the events.
public protocol RunObserver: AnyObject, Sendable {
  /// Whether the observer is the only receiver of the journeys' output and steps.
  var recordsJourneys: Bool { get }

  /// The run's options for the script, such as the seed.
  var options: JSON { get }

  /// Receives a step, an assertion or a log line from the journey engine.
  func emitted(_ kind: String, _ fields: JSON)

  /// Receives a text that must be masked in all output.
  func marked(secret: String)

  /// The text without secrets. Call it before text is cut, as a part of a secret can no longer be recognized.
  func clean(_ text: String) -> String

  /// Receives a finished or failed HTTP exchange.
  func exchanged(_ exchange: ObservedExchange)

  func acted(_ action: PageAction)

  /// The number of HTTP exchanges in the current journey.
  var exchangeCount: Int { get }

  /// Claims a name that all files of the run share: returns whether this file now holds it, and the value stored
  /// under it.
  func claim(_ name: String) -> (isHeld: Bool, value: JSON?)

  /// Stores a value under a claimed name and releases the name.
  func release(_ name: String, _ value: JSON?)
}

/// Defaults for observers that do not record exchanges.
extension RunObserver {
  /// True.
  public var recordsJourneys: Bool { true }
  /// Does nothing.
  public func exchanged(_ exchange: ObservedExchange) {}
  /// Does nothing.
  public func acted(_ action: PageAction) {}
  /// Zero.
  public var exchangeCount: Int { 0 }
}
