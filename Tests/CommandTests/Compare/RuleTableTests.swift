@testable import Host
@testable import luath
@testable import Emulator
@testable import System
import Testing

/// The catalogue finds the table of rules: both rule sets differ in what names a rule, and in nothing else.
@Suite(.timeLimit(.minutes(5))) struct RuleTableTests {
  @Test func `compatible and production differ in exactly the scenarios that name a rule`()
    async throws
  {
    let scenarios = try ScenarioCatalogue.scenarios()
    #expect(scenarios.count >= 150)
    #expect(Set(scenarios.map(\.name)).count == scenarios.count)
    let report = try await Stage().compare(.compatible, with: .production, scenarios)
    let different = Set(report.results.filter { $0.outcome == .different }.map(\.scenario.name))
    let named = Set(scenarios.filter { !$0.rules.isEmpty }.map(\.name))
    #expect(different.subtracting(named).sorted() == [], "these differ and name no rule")
    #expect(named.subtracting(different).sorted() == [], "these name a rule and do not differ")
    #expect(report.count(.failed) == 0 && report.target.left.isEmpty, "\(report.text)")
    let skipped = report.results.filter { $0.outcome == .skipped }.map(\.scenario.name)
    #expect(skipped == ["phone/test number"])
    let planned = Comparison.requests(scenarios, isEmulated: true)
    #expect(report.target.requests <= planned)
    #expect(planned * 5 / 4 <= Comparison.usualBudget, "the budget has no room for retries")
  }

  @Test func `every rule is named by a scenario that shows it when that rule alone is off`()
    async throws
  {
    let scenarios = try ScenarioCatalogue.scenarios()
    let known = Set(Rule.allCases.map(\.name))
    for scenario in scenarios {
      #expect(known.isSuperset(of: scenario.rules), "\(scenario.name): \(scenario.rules)")
    }
    for rule in Rule.allCases {
      let naming = scenarios.filter { $0.rules.contains(rule.name) }
      // The shortest ones that name few other rules, as they show this one best.
      let chosen = naming.sorted { ($0.rules.count, $0.requests) < ($1.rules.count, $1.requests) }
      var less = Rules.production
      less[rule] = false
      let report = try await Stage().compare(.production, with: less, Array(chosen.prefix(3)))
      #expect(
        report.count(.different) > 0,
        "\(rule.name) is named by \(chosen.prefix(3).map(\.name)), which do not show it")
    }
  }

  @Test func `the same rules answer alike`() async throws {
    let topics = ["tokens/", "second factors/", "tenants/", "query/"]
    let scenarios = try ScenarioCatalogue.scenarios().filter { scenario in
      topics.contains { scenario.name.hasPrefix($0) }
    }
    let report = try await Stage().compare(.production, with: .production, scenarios)
    #expect(report.count(.equal) == scenarios.count, "\(report.text)")
    #expect(report.isWhole)
  }
}
