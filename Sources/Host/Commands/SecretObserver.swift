import SignIn
public import System

/// Collects the secrets that a script or session sends and receives, to mask them in output.
public final class SecretObserver: RunObserver {
  public let secrets = RunSecrets()
  public let recordsJourneys: Bool

  /// - Parameter recordsJourneys: Whether the output of journeys goes only to the observer.
  public init(recordsJourneys: Bool) { self.recordsJourneys = recordsJourneys }

  /// Adds the secrets in the settings of a target.
  public func begin(_ context: ScriptContext) { secrets.hide(context) }

  public var options: JSON { [:] }

  public func emitted(_ kind: String, _ fields: JSON) {}

  public func marked(secret: String) { secrets.hide(secret) }

  public func clean(_ text: String) -> String { secrets.clean(text) }

  public func exchanged(_ exchange: ObservedExchange) { secrets.note(exchange) }

  /// Always grants the name, because a prompt does not run in parallel with others.
  public func claim(_ name: String) -> (isHeld: Bool, value: JSON?) { (true, nil) }

  public func release(_ name: String, _ value: JSON?) {}
}
