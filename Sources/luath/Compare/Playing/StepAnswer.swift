import Host
import System

/// A server's response to a step.
struct StepAnswer {
  /// The normalized response, or `notSent` with the reason.
  let normal: JSON
  /// The variables that the step saves and this response lacks.
  var unsaved: Set<String> = []

  init(_ normal: JSON) { self.normal = normal }

  /// Whether it is not an internal error (501, "not implemented", is none either); nil when nothing was sent.
  var isOrderly: Bool? { (normal["status"]?.integer).map { $0 < 500 || $0 == 501 } }
}
