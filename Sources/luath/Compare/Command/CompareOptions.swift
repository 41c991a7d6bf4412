import Emulator
import Journeys
import Host

/// The options of `luath compare`.
struct CompareOptions {
  static let options = [
    Option(
      "with", "SERVER",
      "compare with a new emulator, production (when not given) or compatible, or with one at HOST:PORT; "
        + "+RULE and -RULE switch single rules of a new one", choices: ["production", "compatible"]),
    Option(
      "only", "PATTERN", "play only scenarios with this in their names; * and ? for whole names"),
    Option("list", nil, "show the scenarios, and ask nobody"),
    Option(
      "dry-run", nil, "show what would be sent, and how many requests and accounts; send nothing"),
    Option(
      "budget", "N",
      "send the target at most N requests, 50 to 100000; \(Comparison.usualBudget) when not given"),
    Option("json", "FILE", "write the report there as JSON"),
    Option("html", "FILE", "write the report there as a page"),
    Option(
      "record", "FOLDER", "write the target's answers there as scenarios of the conformance corpus"),
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
