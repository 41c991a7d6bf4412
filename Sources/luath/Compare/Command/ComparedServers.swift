import Emulator
import System
import HTTP
import IdentityToolkit
import Host

struct ComparedServers {
  let target: ResolvedTarget
  let targetName: String
  let other: ResolvedTarget
  let otherName: String

  init(
    _ arguments: ParsedArguments, _ console: Console, _ settings: EmulatorSettings,
    _ options: CompareOptions
  ) async throws(CommandFailure) {
    let variable = console.environment["FIREBASE_AUTH_EMULATOR_HOST"] ?? ""
    let name = arguments.values["target"]
    guard name != nil || arguments.values["config"] != nil || !variable.isEmpty else {
      throw CommandFailure(
        .usage, "luath compare needs the target to examine",
        hint: "--target NAME: firebase, a target of luath.lua, or HOST:PORT of an emulator")
    }
    var project = try ProjectFile.find(arguments.values["project"], near: nil, console)
    // Set a key, because a scenario with a wrong key needs a right one.
    if name == ProjectFile.emulator, project.configuration.apiKey == nil {
      project.configuration.apiKey = Secret(RunName.shownKey)
    }
    target = try await project.place(name, config: arguments.values["config"], console, settings)
    targetName =
      (name ?? (arguments.values["config"] == nil ? variable : ProjectFile.firebase)).printable
    if target.target.isEmulated, !arguments.list("yes").isEmpty {
      await target.emulator?.stop()
      throw CommandFailure(
        .usage, "--yes is for real projects, and the target is an emulator: \(targetName)",
        hint: "leave it out: emulators are compared without a question")
    }
    switch options.other {
    case .emulator(let address):
      other = try await project.place(
        address, config: nil, console, EmulatorSettings(rules: .production))
      otherName = address.printable
    case .rules(let rules, let name):
      // Tokens and addresses contain the project id, and a wrong key must be rejected as in the real project.
      project.configuration.id = target.target.projectID
      if !target.target.isEmulated { project.configuration.apiKey = target.target.apiKey }
      var plain = EmulatorSettings(rules: rules)
      plain.start = settings.start
      other = try await project.place(ProjectFile.emulator, config: nil, console, plain)
      otherName = "\(name) rules"
    }
  }

  /// Stops the emulators in this process.
  func stop() async {
    await target.emulator?.stop()
    await other.emulator?.stop()
  }

  /// The requests that would be sent to the target, and their number.
  func preview(of scenarios: [Scenario], budget: Int) -> String {
    let isEmulated = target.target.isEmulated && other.target.isEmulated
    let played = scenarios.filter { isEmulated || $0.emulatorsOnly == nil }
    let requests = Comparison.requests(played, isEmulated: target.target.isEmulated)
    var text = ""
    for scenario in played {
      text += "\(scenario.name)\n"
      for line in scenario.preview { text += "  \(line.printable)\n" }
    }
    text += "\nbefore them\n"
    for line in Peer.examination { text += "  \(line)\n" }
    text += "\(target.target.isEmulated ? "after each" : "now and then"), and at the end\n"
    for line in Peer.deletion { text += "  \(line)\n" }
    let kind = target.target.isEmulated ? "emulator" : "real project"
    let accounts = Comparison.accounts(played)
    text += "\n\(targetName): \(kind), project \(target.target.projectID.printable)\n"
    text += "\(Counted.text(played.count, "scenario")), at most "
    text += "\(Counted.text(requests, "request")) with all of these; budget \(budget)"
    text += requests <= budget ? "\n" : ", which is not enough for all: --budget N allows more\n"
    text +=
      "\(Counted.text(accounts, "account")) at most, \(Comparison.signUps(played)) of them by sign-ups of clients; "
    text += "addresses luath-compare-…@example.com, uids luath-compare-…\n"
    if played.count < scenarios.count {
      let rest = Counted.text(scenarios.count - played.count, "scenario")
      text += "not played, as it is for emulators only: \(rest)\n"
    }
    return text
  }
}
