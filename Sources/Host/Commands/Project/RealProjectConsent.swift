import SignIn
import IdentityToolkit

/// Decides about changes to real projects, from the command line, the environment and the terminal.
public struct RealProjectConsent: Sendable {
  /// The option of commands that ask at a terminal.
  public static let option = Option(
    "yes", "PROJECT",
    "allow the run to change its real project; --yes=PROJECT allows another one by its id",
    default: "luath asks at a terminal, and refuses without one",
    isValueAttached: true, isRepeatable: true)

  /// The option of `luath load`, which never asks.
  public static let namedOption = Option(
    "yes", "PROJECT", "the id of a real project that may be put under load", default: "none",
    isRepeatable: true)

  /// The option of `luath compare`, which asks unless the option names the project.
  public static let comparisonOption = Option(
    "yes", "PROJECT", "the id of a real project that may be changed, even if it has many accounts",
    default: "luath asks at a terminal, and refuses without one", isRepeatable: true)

  private static let variable = "LUATH_ALLOW"

  private let arguments: ParsedArguments
  private let console: Console
  private let isLoad: Bool
  /// Whether a refusal at the terminal applies to the rest of the run.
  private let remembersRefusal: Bool

  /// Reads `--yes`; throws when it names an empty id.
  public init(
    _ arguments: ParsedArguments, _ console: Console, isLoad: Bool = false,
    remembersRefusal: Bool = true
  ) throws(UsageError) {
    self.arguments = arguments
    self.console = console
    self.isLoad = isLoad
    self.remembersRefusal = remembersRefusal
    guard arguments.list("yes").allSatisfy({ !$0.isEmpty }) else {
      throw UsageError("--yes needs the id of a project before and after each comma")
    }
  }

  /// The project guard for a run at a target.
  ///
  /// - Parameters:
  ///   - isNamed: Whether the command line names the target, so that `--yes` without an id refers to it.
  ///   - whileAsking: Called with true before a question at the terminal, and with false after it.
  public func projectGuard(
    of place: ResolvedTarget, isNamed: Bool = true,
    whileAsking: @escaping @Sendable (Bool) -> Void = { _ in }
  ) -> ProjectGuard {
    let own = place.target.isEmulated ? nil : place.target.projectID
    var consent = ProjectGuard.Consent()
    consent.protected = place.project.protectedProjects
    consent.allowed = named
    if isNamed, let own, arguments.flags.contains("yes") { consent.allowed.insert(own) }
    if !isLoad, let terminal = console.terminal, terminal.isInteractive {
      consent.ask = { id, call in
        let question =
          "luath: this run is going to change the real project \(id.printable) (\(call.printable))\n"
          + "Type yes to let it: "
        whileAsking(true)
        defer { whileAsking(false) }
        return await terminal.ask(question)?.lowercased() == "yes"
      }
    }
    consent.remembersRefusal = remembersRefusal
    consent.announce = { [console] id in
      console.writeError("luath: this run changes the real project \(id.printable)\n")
    }
    consent.advice = { [isLoad] id in
      let word = ShellWord.quoted(id)
      if isLoad { return "if you mean to put it under load: --yes \(word)" }
      let option = isNamed && id == own ? "--yes" : "--yes=\(word)"
      return "if you mean to change it: add \(option), or set \(Self.variable)=\(word)"
    }
    return ProjectGuard(consent)
  }

  /// The project guard for a batch, where `--execute` is the consent for the plan's project.
  public static func batchGuard(
    of place: ResolvedTarget, _ arguments: ParsedArguments, _ console: Console
  ) -> ProjectGuard {
    var consent = ProjectGuard.Consent()
    consent.protected = place.project.protectedProjects
    consent.allowed = listed(console)
    if arguments.flags.contains("execute"), !place.target.isEmulated {
      consent.allowed.insert(place.target.projectID)
    }
    consent.advice = { id in
      "if you mean to change it: set \(Self.variable)=\(ShellWord.quoted(id))"
    }
    return ProjectGuard(consent)
  }

  /// Throws for a load run against a real project that `--yes` does not name.
  public func requireLoad(of place: ResolvedTarget) throws(CommandFailure) {
    guard isLoad, !place.target.isEmulated else { return }
    let id = place.target.projectID
    try Self.requireUnprotected(place, "luath load")
    guard arguments.list("yes").contains(id) else {
      throw CommandFailure(
        .usage, "the target is the real project \(id.printable), which luath load would change",
        hint: "if you mean to put it under load: --yes \(ShellWord.quoted(id))")
    }
  }

  /// Throws if the target of a command that changes it is protected.
  public static func requireUnprotected(_ place: ResolvedTarget, _ command: String)
    throws(CommandFailure)
  {
    let id = place.target.projectID
    guard !place.target.isEmulated, place.project.protectedProjects.contains(id) else { return }
    throw CommandFailure(
      .usage, "the project \(id.printable) is protected, and \(command) would change it",
      hint: "name another target, or take protected = true out of the project file")
  }

  /// The projects with consent; `luath load` ignores the environment.
  private var named: Set<String> {
    Set(arguments.list("yes")).union(isLoad ? [] : Self.listed(console))
  }

  /// The projects that the environment variable lists.
  private static func listed(_ console: Console) -> Set<String> {
    let text = console.environment[variable] ?? ""
    return Set(text.split(separator: ",").map { String($0.filter { $0 != " " }) })
  }
}
