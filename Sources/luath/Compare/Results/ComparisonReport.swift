import Host
import IdentityToolkit
import System

/// The result of a comparison of two servers.
struct ComparisonReport: Sendable {
  struct Server: Sendable {
    /// Its name on the command line.
    let name: String
    let projectID: String
    /// Whether it is an emulator.
    let isEmulated: Bool
    /// The number of requests sent to it.
    let requests: Int
    /// The number of accounts that were created there and deleted.
    let deleted: Int
    /// Descriptions of what could not be deleted.
    let left: [String]
  }

  /// How the comparison ended.
  enum Ending: String, Sendable {
    case whole, budget, interrupted, gaveUp
  }

  /// The server under test.
  let target: Server
  /// The server it was compared with.
  let reference: Server
  /// The target's settings, as an administrator reads them.
  let settings: JSON
  /// How the comparison ended.
  let ending: Ending
  /// Why it was given up; empty otherwise.
  let problem: String
  let results: [ScenarioResult]
  /// The differences by kind, the most frequent first.
  let groups: [DifferenceGroup]
  /// The limit of requests to the target.
  let budget: Int

  init(
    _ target: Peer, _ reference: Peer, _ results: [ScenarioResult], _ ending: Ending,
    problem: String,
    budget: Int
  ) {
    self.target = Server(target)
    self.reference = Server(reference)
    settings = target.settings
    self.results = results
    self.ending = ending
    self.problem = problem
    self.budget = budget
    groups = DifferenceGroup.groups(of: results)
  }

  /// The number of scenarios with this outcome.
  func count(_ outcome: ScenarioResult.Outcome) -> Int {
    results.count { $0.outcome == outcome }
  }

  /// The number of scenarios that both servers answered.
  var compared: Int { count(.equal) + count(.different) }

  /// Whether every scenario that the project allows was compared, at least one, and nothing was left behind.
  var isWhole: Bool {
    ending == .whole && compared > 0 && count(.failed) == 0 && target.left.isEmpty
      && reference.left.isEmpty
  }
}

extension ComparisonReport.Server {
  fileprivate init(_ peer: Peer) {
    name = peer.name
    projectID = peer.target.projectID
    isEmulated = peer.target.isEmulated
    requests = peer.requests
    deleted = peer.belongings.deleted
    left = peer.leftovers
  }
}

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

/// Formats a number with its noun.
enum Counted {
  /// For example `1 account` or `2 accounts`.
  static func text(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
