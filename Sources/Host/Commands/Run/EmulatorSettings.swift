public import Emulator
import System
public import HTTP

/// The settings of an emulator in this process, from the options that several commands share.
public struct EmulatorSettings: Sendable {
  var rules = Rules.production
  var faults = FaultPlan()
  var keepsQuotas = false
  var isSingleProject = false
  /// The initial time of each emulator's clock, in seconds since 1970; nil for the system time.
  public var start: Int64?
  /// The names of the options on the command line.
  private(set) var given: [String]

  public static let options = [
    Option("fault", "FAULTS", FaultOption.summary, isRepeatable: true), FaultOption.seed,
    Option("quotas", nil, "keep Google's documented limits"),
    Option("single-project", nil, "refuse calls that name another project than the one served"),
    Option("clock", "TIME", "the emulator's time at the start: 2026-01-31T12:00:00Z"),
  ]

  public static func rulesOption(unless name: String) -> Option {
    Option(
      "rules", "RULES",
      "compatible, as Firebase's emulator, or production, as Google's servers; \(name) when not given; "
        + "+RULE and -RULE switch single rules", choices: ["compatible", "production"])
  }

  /// Creates settings with these rules, as if no option were given.
  public init(rules: Rules) {
    self.rules = rules
    given = []
  }

  public init(_ arguments: ParsedArguments, rules name: String) throws(UsageError) {
    given = ["rules", "fault", "seed", "quotas", "single-project", "clock"].filter {
      arguments.values[$0] != nil || arguments.flags.contains($0)
    }
    rules = try RulesOption.parse(arguments.values["rules"] ?? name)
    faults = try FaultOption.plan(arguments)
    isSingleProject = arguments.flags.contains("single-project")
    keepsQuotas = arguments.flags.contains("quotas")
    if let text = arguments.values["clock"] {
      guard let seconds = Timestamp.seconds(of: text) else {
        throw UsageError("--clock takes a time such as 2026-01-31T12:00:00Z, not '\(text)'")
      }
      start = seconds
    }
  }

  /// The settings for a command that also uses `--seed` itself.
  public var sharingSeed: EmulatorSettings {
    var settings = self
    settings.given.removeAll { $0 == "seed" }
    return settings
  }

  /// Creates an emulator of a project, with its own clock.
  public func emulator(
    of project: ProjectConfiguration, keys: SigningKeys = SigningKeys()
  ) throws(HTTPError) -> Emulator {
    let clock = EmulatorClock()
    if let start { clock.set(seconds: start) }
    return try Emulator(
      project: project, rules: rules, clock: clock, keys: keys, faults: faults,
      keepsQuotas: keepsQuotas,
      isSingleProject: isSingleProject)
  }
}
