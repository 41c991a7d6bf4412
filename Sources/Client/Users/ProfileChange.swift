/// A change of one profile field.
public enum ProfileChange: Sendable, Equatable {
  case keep
  /// Removes the value.
  case clear
  /// Sets a value; an empty one removes it.
  case set(String)
}
