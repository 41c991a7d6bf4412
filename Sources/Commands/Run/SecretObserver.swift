import Delegates
import Encoding
import Runner
import Scripting

/// Learns from what a script or session sends and gets what must not be shown.
final class SecretObserver: RunObserver {
  let secrets = RunSecrets()
  let recordsJourneys: Bool

  /// - Parameter recordsJourneys: Whether what journeys print goes nowhere else.
  init(recordsJourneys: Bool) { self.recordsJourneys = recordsJourneys }

  /// Hides what the settings of a place hold.
  func begin(_ context: ScriptContext) { secrets.hide(context) }

  var options: JSON { [:] }

  func emitted(_ kind: String, _ fields: JSON) {}

  func marked(secret: String) { secrets.hide(secret) }

  func clean(_ text: String) -> String { secrets.clean(text) }

  func exchanged(_ exchange: ObservedExchange) { secrets.note(exchange) }

  /// A prompt runs by itself, so that every name is free.
  func claim(_ name: String) -> (isHeld: Bool, value: JSON?) { (true, nil) }

  func release(_ name: String, _ value: JSON?) {}
}
