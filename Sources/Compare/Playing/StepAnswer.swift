import Encoding

/// What a server answered to a step.
struct StepAnswer {
  /// The answer in normal form, or `notSent` with the reason.
  let normal: JSON
  /// The variables that the step saves and this answer does not have.
  var unsaved: Set<String> = []

  init(_ normal: JSON) { self.normal = normal }
}
