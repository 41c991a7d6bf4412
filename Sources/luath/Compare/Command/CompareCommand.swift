import Emulator
import Host
import Journeys
import System

/// `luath compare`: plays scenarios on two servers and reports where their responses differ.
enum CompareCommand {
  static let description = CommandDescription(
    name: "compare", summary: "Compares the responses of a project with those of an emulator.",
    operands: "",
    options: CompareOptions.options + TargetOptions.options + [RealProjectConsent.comparisonOption]
      + [EmulatorSettings.rulesOption(unless: "production")] + EmulatorSettings.options,
    examples: [
      "luath compare --target staging --dry-run",
      "luath compare --target staging --html differences.html",
      "luath compare --target emulator:127.0.0.1:9099 --with compatible --only 'passwords/*'",
    ],
    note:
      "luath creates accounts for the comparison and deletes them at the end, also after Ctrl-C. Their "
      + "addresses begin with luath-compare- and end with @example.com. It sends no e-mail and no SMS, and "
      + "never changes a real project's settings.",
    exits: [
      .ok: "finished, and all responses are equal", .failed: "finished, and some responses differ",
      .usage: "the command line is invalid, or the project may not be changed",
      .notLoaded: "the project file does not load",
      .unavailable:
        "the comparison was not finished, the target cannot be reached, or something was left behind",
      .nothing: "no scenario matches --only", .interrupted: "interrupted",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    if let operand = arguments.operands.first {
      throw UsageError(
        "luath compare takes no operand: \(operand.printable)",
        hint: "name the target with --target")
    }
    let options = try CompareOptions(arguments)
    let settings = try EmulatorSettings(arguments, rules: "production")
    let consent = try RealProjectConsent(arguments, console)
    do throws(CommandFailure) {
      let scenarios = try options.scenarios()
      if options.lists {
        console.writeOutput(ScenarioList(scenarios).text)
        return .code(.ok)
      }
      let servers = try await ComparedServers(arguments, console, settings, options)
      if options.isDry {
        console.writeOutput(servers.preview(of: scenarios, budget: options.budget))
        await servers.stop()
        return .code(.ok)
      }
      return try await CompareRun(servers, options, consent, arguments, console).run(scenarios)
    } catch {
      return error.report(console)
    }
  }
}

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

/// The options of `luath compare`.
struct CompareOptions {
  static let options = [
    Option(
      "with", "SERVER",
      "the server to compare with: production or compatible (a new emulator with these rules, where +RULE "
        + "and -RULE switch single rules), or HOST:PORT of a running emulator",
      default: "production", choices: ["production", "compatible"]),
    Option(
      "only", "PATTERN",
      "play the scenarios with this in their names; with * or ? it is a pattern for the whole name",
      default: "all scenarios"),
    Option("list", nil, "list the scenarios, and send nothing"),
    Option(
      "dry-run", nil, "show what would be sent, and how many requests and accounts; send nothing"),
    Option(
      "budget", "N", "send the target at most N requests, 50 to 100000",
      default: "\(Comparison.usualBudget)"),
    Option("json", "FILE", "write the report to this file, as JSON", default: "no such file"),
    Option("html", "FILE", "write the report to this file, as a web page", default: "no such file"),
    Option(
      "record", "FOLDER",
      "write the target's responses there, as scenarios of the conformance corpus",
      default: "nothing is recorded"),
  ]

  /// The server to compare with.
  enum Other {
    case rules(Rules, name: String)
    case emulator(String)
  }

  let other: Other
  let only: String?
  let lists: Bool
  let isDry: Bool
  let budget: Int
  let json: String?
  let html: String?
  let record: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    let with = arguments.values["with"] ?? "production"
    if with.isEmpty {
      throw UsageError("--with needs a server", hint: Self.withHint)
    }
    if with.contains(":") {
      if case .wrong(let message, let hint) = EmulatorAddress(with) {
        throw UsageError("--with \(message): \(with.printable)", hint: hint)
      }
      other = .emulator(with)
    } else {
      do throws(UsageError) {
        other = .rules(try RulesOption.parse(with), name: with)
      } catch {
        throw UsageError(
          error.message.replacing("--rules", with: "--with"),
          hint: Self.withHint)
      }
    }
    only = arguments.values["only"]
    if only == "" {
      throw UsageError(
        "--only needs a pattern",
        hint: "such as 'sign-up/*'; without --only all scenarios are played")
    }
    lists = arguments.flags.contains("list")
    isDry = arguments.flags.contains("dry-run")
    budget =
      try Quantity.count(arguments.values["budget"], "--budget", 50...100_000)
      ?? Comparison.usualBudget
    json = try Self.path("json", arguments)
    html = try Self.path("html", arguments)
    record = try Self.path("record", arguments)
  }

  private static let withHint =
    "--with takes production or compatible, then +RULE or -RULE; or HOST:PORT of a running emulator"

  private static func path(
    _ name: String, _ arguments: ParsedArguments
  ) throws(UsageError) -> String? {
    guard let path = arguments.values[name] else { return nil }
    guard !path.isEmpty else { throw UsageError("--\(name) needs a path") }
    return path
  }

  /// The scenarios that match `--only`.
  func scenarios() throws(CommandFailure) -> [Scenario] {
    let all: [Scenario]
    do { all = try ScenarioCatalogue.scenarios() } catch {
      throw CommandFailure(.internalError, "the catalogue of scenarios: \(error)")
    }
    guard let only else { return all }
    let filter = NameFilter(only)
    let chosen = all.filter { filter.takes($0.name) }
    guard !chosen.isEmpty else {
      throw CommandFailure(
        .nothing, "no scenario has \(only.printable) in its name",
        hint: "luath compare --list shows all names")
    }
    return chosen
  }
}
