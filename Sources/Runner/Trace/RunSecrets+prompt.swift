import IdentityToolkit
public import Scripting

/// What shows values of a script that is no journey, and must hide as much.
extension RunSecrets {
  /// Hides a text from now on.
  public func hide(_ secret: String) { mark(secret) }

  /// Hides what the settings of a target hold.
  public func hide(_ context: ScriptContext) { mark(context) }

  /// Hides the secrets that a script's source gives.
  public func hide(source: [UInt8]) { note(source: source) }

  /// A message without what is known to be secret by now, and without values under names of secrets.
  public func clean(message: String) -> String {
    learn()
    return clean(message, as: .words)
  }

  /// The text without what is known to be secret by now.
  public func clean(_ text: String) -> String {
    learn()
    return clean(text, as: nil)
  }
}
