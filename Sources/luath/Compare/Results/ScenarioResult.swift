import Host
import System

/// The result of one scenario.
struct ScenarioResult: Sendable {
  /// How it ended.
  enum Outcome: String, Sendable {
    case equal
    case different
    /// The project does not allow it, or it is for emulators only.
    case skipped
    /// A server did not respond.
    case failed
    /// The comparison ended before.
    case notPlayed
  }

  /// The scenario.
  let scenario: Scenario
  /// How it ended.
  let outcome: Outcome
  /// Why it was not compared; nil when it was.
  var reason: String?
  /// The differences between the responses.
  var differences: [Difference] = []
  /// The target's responses, one for each step that ran.
  var answers: [StepAnswer] = []

  init(_ scenario: Scenario, _ outcome: Outcome, _ reason: String? = nil) {
    self.scenario = scenario
    self.outcome = outcome
    self.reason = reason
  }

  /// Compares the responses of both servers.
  init(_ scenario: Scenario, _ target: [StepAnswer], _ reference: [StepAnswer]) {
    self.scenario = scenario
    answers = target
    for (index, step) in scenario.steps.enumerated()
    where index < min(target.count, reference.count) {
      let mine = Self.compared(target[index].normal, step)
      let other = Self.compared(reference[index].normal, step)
      differences += Difference.all(mine, other, number: index + 1, of: step)
    }
    outcome = differences.isEmpty ? .equal : .different
  }

  /// The part of a response that is compared.
  private static func compared(_ answer: JSON, _ step: Step) -> JSON {
    if step.isPreparation, let status = answer["status"] { return ["status": status] }
    return step.comparesTokens ? answer : withoutSignatures(answer)
  }

  private static func withoutSignatures(_ value: JSON) -> JSON {
    switch value {
    case .array(let items): return .array(items.map(withoutSignatures))
    case .object(let object):
      if object.count == 1, let claims = object["$jwt"]?["claims"] {
        return ["$jwt": ["claims": claims]]
      }
      return .object(JSONObject(object.entries.map { ($0.key, withoutSignatures($0.value)) }))
    default: return value
    }
  }
}
