public import Emulator
public import HTTP
import System
import Glibc
import Synchronization

/// Loads and saves the accounts of `luath emulator`.
public struct EmulatorState: Sendable {
  /// The options that the command line accepts.
  public static let options = [
    Option(
      "state", "FILE", "store every change in this file, and continue with what it holds",
      default: "nothing is stored"),
    Option(
      "data", "DIR",
      "import the Firebase export in this folder, if there is one, and export there at the end",
      default: "none"),
    Option(
      "import", "DIR", "import the Firebase export in this folder, which must exist",
      default: "none"),
    Option(
      "export-on-exit", "DIR", "export to this folder at the end; without DIR, to that of --import",
      default: "no export", isValueOptional: true),
  ]

  /// The path of `--state`.
  private let file: String?
  private let importFolder: String?
  /// Whether a missing export is not an error.
  private let isImportOptional: Bool
  private let exportFolder: String?
  private let console: Console
  /// The error after which the state file could not be written any more.
  private static let failure = Mutex<Problem?>(nil)

  /// Reads the options; throws for values that are not valid.
  public init(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    self.console = console
    let values = arguments.values
    for (name, value) in values
    where value.isEmpty && Self.options.contains(where: { $0.name == name }) {
      throw UsageError("--\(name) needs a value")
    }
    file = values["state"].map(console.whole)
    let exportsOnExit =
      values["export-on-exit"] != nil || arguments.flags.contains("export-on-exit")
    if let data = values["data"] {
      guard values["import"] == nil, !exportsOnExit else {
        throw UsageError("--data is --import and --export-on-exit in one; leave those out")
      }
      importFolder = Self.folder(data, console)
      exportFolder = importFolder
    } else {
      importFolder = values["import"].map { Self.folder($0, console) }
      exportFolder =
        values["export-on-exit"].map { Self.folder($0, console) }
        ?? (exportsOnExit ? importFolder : nil)
      guard !exportsOnExit || exportFolder != nil else {
        throw UsageError("--export-on-exit needs a folder: --export-on-exit DIR, or --import DIR")
      }
    }
    isImportOptional = values["data"] != nil
  }

  /// The absolute path of a folder, without a slash at its end, which shells add.
  private static func folder(_ path: String, _ console: Console) -> String {
    var whole = console.whole(path)
    while whole.utf8.count > 1, whole.utf8.last == UInt8(ascii: "/") { whole.removeLast() }
    return whole
  }

  /// Loads existing accounts, before the emulator serves requests.
  public func open(_ emulator: Emulator) async throws(CommandFailure) {
    do throws(Problem) {
      if let file {
        try await emulator.keepState(in: file) { error in
          Self.failure.withLock { $0 = error }
          Interrupts.wake()
        }
      }
    } catch {
      throw CommandFailure(.notLoaded, error.message, hint: error.hint)
    }
    if let exportFolder {
      try Self.attempt { () throws(ExportError) in try ExportFolder.check(exportFolder) }
    }
    guard let importFolder else { return }
    // Do not load the export over existing accounts: it is older than the state file.
    guard await emulator.isEmpty else {
      console.warn(
        "the state file has accounts already, so that \(importFolder.printable) was not loaded",
        hint: "leave the import out, or name a new state file")
      return
    }
    let export = try Self.attempt { () throws(ExportError) -> ExportedProject? in
      if isImportOptional, try !ExportFolder.holdsExport(importFolder) { return nil }
      return try ExportFolder.read(importFolder)
    }
    guard let export else { return }
    do throws(Problem) {
      try await emulator.load(export)
    } catch {
      throw CommandFailure(
        .notLoaded, "\(importFolder.printable): \(error.message)", hint: error.hint)
    }
  }

  /// Stops the emulator and writes the export.
  public func close(_ emulator: Emulator) async throws(CommandFailure) {
    await emulator.stopServing()
    let export: ExportedProject? = if exportFolder != nil { await emulator.exported() } else { nil }
    await emulator.stop()
    if let failure = Self.failure.withLock({ $0 }) {
      throw CommandFailure(.unavailable, failure.message, hint: failure.hint)
    }
    guard let exportFolder, let export else { return }
    do throws(ExportError) {
      try ExportFolder.write(export, to: exportFolder, version: Version.current)
    } catch {
      throw rescue(export, error)
    }
  }

  /// Exports to a new temporary folder, because the requested folder cannot be written.
  private func rescue(_ export: ExportedProject, _ error: ExportError) -> CommandFailure {
    let start = console.environment["TMPDIR"] ?? "/tmp"
    let folder = "\(start)/luath-export-\(getpid())"
    do throws(ExportError) {
      try ExportFolder.write(export, to: folder, version: Version.current)
      return CommandFailure(
        .unavailable, "\(error.message); the accounts are in \(folder.printable) instead",
        hint: error.hint)
    } catch let second {
      return CommandFailure(
        .unavailable,
        "\(error.message), and neither could \(folder.printable): the accounts are lost",
        hint: second.hint)
    }
  }

  private static func attempt<Result>(
    _ body: () throws(ExportError) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(ExportError) {
      return try body()
    } catch {
      throw CommandFailure(.notLoaded, error.message, hint: error.hint)
    }
  }
}

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

  /// The options that the command line accepts.
  public static let options = [
    FaultOption.option, FaultOption.seed,
    Option("quotas", nil, "apply the limits that Google documents"),
    Option("single-project", nil, "refuse calls for other projects"),
    Option(
      "clock", "TIME", "the emulator's time at the start, such as 2026-01-31T12:00:00Z",
      default: "the time of this machine"),
  ]

  /// The option for rules, which the option of this name excludes.
  public static func rulesOption(unless name: String) -> Option {
    Option(
      "rules", "RULES",
      "the rules of the emulator: compatible (as Firebase's emulator) or production (as Google's servers); "
        + "+RULE and -RULE switch single rules", default: name,
      choices: ["compatible", "production"])
  }

  /// Creates settings with these rules, as if no option were given.
  public init(rules: Rules) {
    self.rules = rules
    given = []
  }

  /// Reads the options; throws for values that are not valid.
  ///
  /// - Parameter seed: The name of the option with the seed of `--fault`.
  public init(
    _ arguments: ParsedArguments, rules name: String, seed: String = "seed"
  ) throws(UsageError) {
    given = ["rules", "fault", seed, "quotas", "single-project", "clock"].filter {
      arguments.values[$0] != nil || arguments.flags.contains($0)
    }
    rules = try RulesOption.parse(arguments.values["rules"] ?? name)
    faults = try FaultOption.plan(arguments, seed: seed)
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
    of project: ProjectConfiguration, keys: SigningKeys
  ) throws(HTTPError) -> Emulator {
    let clock = EmulatorClock()
    if let start { clock.set(seconds: start) }
    return try Emulator(
      project: project, rules: rules, clock: clock, keys: keys, faults: faults,
      keepsQuotas: keepsQuotas,
      isSingleProject: isSingleProject)
  }
}
