import SignIn
import System
import Host

/// Collects the secrets that a script or session sends and receives, to mask them in output.
final class SecretObserver: RunObserver {
  let secrets = RunSecrets()
  let recordsJourneys: Bool

  /// - Parameter recordsJourneys: Whether the output of journeys goes only to the observer.
  init(recordsJourneys: Bool) { self.recordsJourneys = recordsJourneys }

  /// Adds the secrets in the settings of a target.
  func begin(_ context: ScriptContext) { secrets.hide(context) }

  var options: JSON { [:] }

  func emitted(_ kind: String, _ fields: JSON) {}

  func marked(secret: String) { secrets.hide(secret) }

  func clean(_ text: String) -> String { secrets.clean(text) }

  func exchanged(_ exchange: ObservedExchange) { secrets.note(exchange) }

  /// Always grants the name, because a prompt does not run in parallel with others.
  func claim(_ name: String) -> (isHeld: Bool, value: JSON?) { (true, nil) }

  func release(_ name: String, _ value: JSON?) {}
}
