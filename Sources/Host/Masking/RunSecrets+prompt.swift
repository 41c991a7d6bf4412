import IdentityToolkit

/// For the prompt and other code that shows script values outside of journeys.
extension RunSecrets {
  /// Removes a text from all later output.
  func hide(_ secret: String) { mark(secret) }

  /// Removes the secrets in a target's settings from all later output.
  func hide(_ context: ScriptContext) { mark(context) }

  /// Removes the secrets in a script's source from all later output.
  public func hide(source: [UInt8]) { note(source: source) }

  /// Removes known secrets from a message, and values under secret names.
  func clean(message: String) -> String {
    learn()
    return clean(message, as: .words)
  }

  /// Removes known secrets from a text.
  public func clean(_ text: String) -> String {
    learn()
    return clean(text, as: nil)
  }
}
