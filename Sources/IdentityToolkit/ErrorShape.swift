/// The shape of an error response's body.
public enum ErrorShape: Sendable {
  /// Firebase's emulator: always `errors`, and `status` if the refusal has one.
  case emulator
  /// Version 1 of Identity Toolkit: `errors`, and `status` if the refusal has one.
  ///
  /// The members of `errors` have no domain when `details` name an invalid field.
  case first
  /// Version 2 and the token service: `status` and no `errors`.
  case second
}
