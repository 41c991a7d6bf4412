import Host
import System

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
