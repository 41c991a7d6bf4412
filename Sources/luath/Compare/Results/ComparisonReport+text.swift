import Host
import System

extension ComparisonReport {
  private static let mostGroups = 30
  private static let mostNames = 3
  private static let longestValue = 100

  /// The report for a terminal, grouped by difference.
  var text: String {
    var text = ""
    if !groups.isEmpty {
      text += "differences (- \(target.name), + \(reference.name)):\n"
      for group in groups.prefix(Self.mostGroups) { text += Self.lines(group) }
      if groups.count > Self.mostGroups {
        text +=
          "  and \(groups.count - Self.mostGroups) more kinds: --json FILE or --html FILE has all\n"
      }
      text += "\n"
    }
    text += reasons(.failed, "not compared")
    text += reasons(.skipped, "skipped")
    for server in [target, reference] where !server.left.isEmpty {
      text += "left behind on \(server.name):\n"
      text += server.left.map { "  \($0)\n" }.joined()
    }
    if !problem.isEmpty { text += "given up: \(problem)\n" }
    return text + summary
  }

  private var summary: String {
    var parts = ["\(compared) of \(results.count) scenarios compared", "\(count(.equal)) equal"]
    if count(.different) > 0 { parts.append("\(count(.different)) different") }
    for (outcome, words) in [
      (ScenarioResult.Outcome.failed, "failed"), (.skipped, "skipped"), (.notPlayed, "not played"),
    ] where count(outcome) > 0 {
      parts.append("\(count(outcome)) \(words)")
    }
    var text = parts.joined(separator: ", ") + "\n"
    if compared == 0, ending == .whole { text += "nothing was compared\n" }
    text +=
      "\(target.name): \(Counted.text(target.requests, "request")), "
      + "\(Counted.text(target.deleted, "account")) made and deleted\n"
    switch ending {
    case .whole, .gaveUp: break
    case .budget:
      text +=
        "the budget of \(budget) requests is used up, but for the \(Comparison.reserve) that are kept to delete "
        + "accounts: --budget N allows more\n"
    case .interrupted: text += "interrupted\n"
    }
    return text
  }

  private func reasons(_ outcome: ScenarioResult.Outcome, _ title: String) -> String {
    var names: [(reason: String, names: [String])] = []
    for result in results where result.outcome == outcome {
      let reason = result.reason ?? ""
      if let index = names.firstIndex(where: { $0.reason == reason }) {
        names[index].names.append(result.scenario.name)
      } else {
        names.append((reason, [result.scenario.name]))
      }
    }
    guard !names.isEmpty else { return "" }
    return "\(title):\n"
      + names.map { "  \($0.names.count) × \($0.reason): \(Self.list($0.names))\n" }.joined()
      + "\n"
  }

  private static func lines(_ group: DifferenceGroup) -> String {
    let difference = group.example
    return "  \(group.scenarios.count) × \(difference.path) (\(difference.operation))\n"
      + "      - \(value(difference.target))\n      + \(value(difference.reference))\n"
      + "      in \(list(group.scenarios))\n"
  }

  private static func value(_ value: JSON?) -> String {
    guard let value else { return "(absent)" }
    let text = value.encoded()
    return text.count <= longestValue ? text : text.prefix(longestValue - 1) + "…"
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(mostNames).joined(separator: ", ")
      + (names.count > mostNames ? " and \(names.count - mostNames) more" : "")
  }
}
