import Host
import System

extension ComparisonReport {
  /// The report as one JSON object, for programs and for the HTML page.
  var json: JSON {
    [
      "target": target.json, "with": reference.json, "ending": .string(ending.rawValue),
      "problem": .string(problem), "budget": .integer(Int64(budget)),
      "counts": .object(
        JSONObject(
          [ScenarioResult.Outcome.equal, .different, .skipped, .failed, .notPlayed].map {
            ($0.rawValue, .integer(Int64(count($0))))
          })),
      "groups": .array(groups.map(\.json)), "scenarios": .array(results.map(\.json)),
    ]
  }
}

extension ComparisonReport.Server {
  fileprivate var json: JSON {
    [
      "name": .string(name), "projectId": .string(projectID), "isEmulated": .bool(isEmulated),
      "requests": .integer(Int64(requests)), "deletedAccounts": .integer(Int64(deleted)),
      "left": .array(left.map(JSON.string)),
    ]
  }
}

extension DifferenceGroup {
  fileprivate var json: JSON {
    var members: JSONObject = [
      "operation": .string(example.operation), "path": .string(example.path),
    ]
    if let value = example.target { members["target"] = value }
    if let value = example.reference { members["with"] = value }
    members["scenarios"] = .array(scenarios.map(JSON.string))
    return .object(members)
  }
}

extension ScenarioResult {
  fileprivate var json: JSON {
    var members: JSONObject = [
      "name": .string(scenario.name), "about": .string(scenario.about),
      "outcome": .string(outcome.rawValue), "rules": .array(scenario.rules.map(JSON.string)),
    ]
    if let reason { members["reason"] = .string(reason) }
    members["differences"] = .array(differences.map(\.json))
    return .object(members)
  }
}

extension Difference {
  fileprivate var json: JSON {
    var members: JSONObject = [
      "step": .integer(Int64(step)), "stepName": .string(stepName),
      "operation": .string(operation), "path": .string(path),
    ]
    if let target { members["target"] = target }
    if let reference { members["with"] = reference }
    return .object(members)
  }
}
