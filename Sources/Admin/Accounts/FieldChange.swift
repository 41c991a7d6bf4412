/// A change of one field of an account.
public enum FieldChange<Value: Sendable>: Sendable {
  /// Leave it unchanged.
  case keep
  /// Set this value.
  case set(Value)
  /// Clear it.
  case clear

  /// The new value, if any.
  var value: Value? {
    guard case .set(let value) = self else { return nil }
    return value
  }

  /// Whether the field is cleared.
  var isClear: Bool {
    guard case .clear = self else { return false }
    return true
  }
}
