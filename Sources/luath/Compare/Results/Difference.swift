import Host
import System

/// A place where the responses of two servers differ.
struct Difference: Sendable {
  /// The number of the step, from 1.
  let step: Int
  let stepName: String
  /// The call of the step, such as `accounts:signUp`.
  let operation: String
  /// The dotted path in the response, such as `status` or `body.error.message`.
  let path: String
  /// The target's value there; nil when it has none.
  let target: JSON?
  /// The other server's value there; nil when it has none.
  let reference: JSON?

  /// The differences of two normalized responses.
  static func all(
    _ target: JSON, _ reference: JSON, number: Int, of step: Step, at path: String = ""
  ) -> [Difference] {
    func one(_ target: JSON?, _ reference: JSON?, _ path: String) -> Difference {
      Difference(
        step: number, stepName: step.name, operation: step.call, path: path, target: target,
        reference: reference)
    }
    switch (target, reference) {
    case (.object(let left), .object(let right)):
      if path.isEmpty, (left["notSent"] == nil) != (right["notSent"] == nil) {
        return [one(target, reference, "answer")]
      }
      // If only one response is an error, their members have nothing in common.
      if path == "body", (left["error"] == nil) != (right["error"] == nil) {
        return [one(target, reference, path)]
      }
      let keys = left.keys + right.keys.filter { left[$0] == nil }
      let found = keys.flatMap { key -> [Difference] in
        let inner = path.isEmpty ? key : "\(path).\(key)"
        guard let mine = left[key], let other = right[key] else {
          return [one(left[key], right[key], inner)]
        }
        return all(mine, other, number: number, of: step, at: inner)
      }
      // The older error format repeats the message.
      let message = found.first { $0.path == "\(path).message" }
      return found.filter { difference in
        guard let message, difference.path == "\(path).errors[0].message" else { return true }
        return difference.target != message.target || difference.reference != message.reference
      }
    case (.array(let left), .array(let right)):
      guard left.count == right.count else { return [one(target, reference, path)] }
      return left.indices.flatMap {
        all(left[$0], right[$0], number: number, of: step, at: "\(path)[\($0)]")
      }
    default: return target == reference ? [] : [one(target, reference, path)]
    }
  }
}

/// Scenarios in which the responses of one operation differ in the same way.
struct DifferenceGroup: Sendable {
  /// The first of the differences.
  let example: Difference
  /// The names of the scenarios, in the order they ran.
  private(set) var scenarios: [String] = []

  /// The differences of all results, grouped; the most frequent first.
  ///
  /// A difference that occurs in several steps of a scenario counts once.
  static func groups(of results: [ScenarioResult]) -> [DifferenceGroup] {
    var groups: [DifferenceGroup] = []
    var positions: [String: Int] = [:]
    for result in results {
      for difference in result.differences {
        let key = key(difference)
        let position = positions[key] ?? groups.count
        if position == groups.count {
          positions[key] = position
          groups.append(DifferenceGroup(example: difference))
        }
        if groups[position].scenarios.last != result.scenario.name {
          groups[position].scenarios.append(result.scenario.name)
        }
      }
    }
    return groups.enumerated()
      .sorted { ($1.element.scenarios.count, $0.offset) < ($0.element.scenarios.count, $1.offset) }
      .map(\.element)
  }

  /// The operation, the path without array indexes, and both values.
  private static func key(_ difference: Difference) -> String {
    let place = difference.path.replacing(/\[\d+\]/, with: "[]")
    let target = difference.target?.encoded(sortedKeys: true) ?? "-"
    let reference = difference.reference?.encoded(sortedKeys: true) ?? "-"
    return [difference.operation, place, target, reference].joined(separator: "\n")
  }
}
