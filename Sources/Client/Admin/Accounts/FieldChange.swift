/// A change of one field of an account.
enum FieldChange<Value: Sendable>: Sendable {
  case keep
  case set(Value)
  case clear

  var value: Value? {
    guard case .set(let value) = self else { return nil }
    return value
  }

  var isClear: Bool {
    guard case .clear = self else { return false }
    return true
  }
}
