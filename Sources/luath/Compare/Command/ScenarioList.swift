import Host


/// The text of `luath compare --list`.
struct ScenarioList {
  private let scenarios: [Scenario]

  init(_ scenarios: [Scenario]) { self.scenarios = scenarios }

  var text: String {
    var text = ""
    for scenario in scenarios {
      text += "\(scenario.name)\n    \(scenario.about)\n"
      if !scenario.rules.isEmpty {
        text += "    rules: \(scenario.rules.joined(separator: ", "))\n"
      }
      if let reason = scenario.emulatorsOnly { text += "    emulators only: \(reason)\n" }
    }
    return text + "\n\(Counted.text(scenarios.count, "scenario"))\n"
  }
}
