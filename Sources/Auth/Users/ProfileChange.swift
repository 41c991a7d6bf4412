/// What to do with one field of a profile.
public enum ProfileChange: Sendable, Equatable {
  /// Leaves the field as it is.
  case keep
  /// Empties the field.
  case clear
  /// Gives the field a value; an empty one empties it.
  case set(String)
}
