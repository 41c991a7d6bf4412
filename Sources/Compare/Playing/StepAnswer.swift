import Encoding

/// What a server answered to a step.
struct StepAnswer {
  /// The answer in normal form, or `notSent` with the reason.
  let normal: JSON
  /// The variables that the step saves and this answer does not have.
  var unsaved: Set<String> = []

  init(_ normal: JSON) { self.normal = normal }

  /// Whether it is no internal error ("not implemented", 501, is none either); nil when nothing was sent.
  var isOrderly: Bool? { (normal["status"]?.integer).map { $0 < 500 || $0 == 501 } }
}
