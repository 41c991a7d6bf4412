/// The shape of the body of a failure answer.
public enum ErrorShape: Sendable {
  /// Firebase's emulator: `errors` everywhere, and `status` where the refusal has one.
  case emulator
  /// The first version of Identity Toolkit: `errors`, and `status` where the refusal has one. The members of
  /// `errors` have no domain where `details` say which field is wrong.
  case first
  /// Its second version and the token service: `status` and no `errors`.
  case second
}
