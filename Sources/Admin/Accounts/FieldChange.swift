/// What becomes of one field of an account.
public enum FieldChange<Value: Sendable>: Sendable {
  /// It stays as it is.
  case keep
  /// It gets this value.
  case set(Value)
  /// It is emptied.
  case clear

  /// The new value, if there is one.
  var value: Value? {
    guard case .set(let value) = self else { return nil }
    return value
  }

  /// Whether the field is emptied.
  var isClear: Bool {
    guard case .clear = self else { return false }
    return true
  }
}
