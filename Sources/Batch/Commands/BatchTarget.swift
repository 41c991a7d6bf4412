import Client
import HTTP
import Host
import IdentityToolkit
import System

/// Finds the project that a plan is for and the script that it was made with.
enum BatchTarget {
  /// What holds without `--target`, for the help.
  static let withoutOption = "FIREBASE_AUTH_EMULATOR_HOST; required if that is not set"

  /// Throws if no target is given, because the built-in emulator would end with the command.
  static func require(
    _ arguments: ParsedArguments, _ console: Console, _ command: String
  ) throws(UsageError) {
    let variable = console.environment["FIREBASE_AUTH_EMULATOR_HOST"] ?? ""
    let target = arguments.values["target"]
    guard target != nil || arguments.values["config"] != nil || !variable.isEmpty,
      target != ProjectFile.emulator
    else {
      throw UsageError(
        "\(command) needs the target that the plan was made for",
        hint: "--target NAME: emulator:HOST:PORT, firebase, or a target of luath.lua")
    }
  }

  /// Resolves the target of the command line with the project file that is nearest to a script.
  static func place(
    _ arguments: ParsedArguments, near script: String, _ console: Console
  ) async throws(CommandFailure) -> ResolvedTarget {
    let project = try ProjectFile.find(arguments.values["project"], near: script, console)
    let settings: EmulatorSettings
    do throws(UsageError) {
      settings = try EmulatorSettings(arguments, rules: "production")
    } catch {
      throw CommandFailure(.usage, error.message, hint: error.hint)
    }
    return try await project.place(
      arguments.values["target"], config: arguments.values["config"], console, settings)
  }

  /// Resolves the target of the command line, which must be the plan's project.
  static func place(
    _ arguments: ParsedArguments, _ header: PlanHeader, _ console: Console
  ) async throws(CommandFailure) -> ResolvedTarget {
    // Search near the script, so that the planner's project file is found even if the plan was moved.
    let place = try await place(arguments, near: header.script, console)
    guard ExactString(place.target.projectID) == ExactString(header.projectID) else {
      throw CommandFailure(
        .usage,
        "the plan is for the project \(header.projectID.printable), and the target is "
          + place.target.projectID.printable,
        hint: "name the target that the plan was made for, or make a plan for this one")
    }
    if arguments.flags.contains("execute") {
      try RealProjectConsent.requireUnprotected(place, "--execute")
    }
    return place
  }

  /// The kind of backend, as text for users.
  static func words(_ target: Target) -> String {
    switch target.backend {
    case .emulator(let url): "(emulator at \(url.origin))"
    case .production: "(real project)"
    }
  }

  /// The script of a plan with custom operations; nil if it has none.
  ///
  /// - Throws: If the script is not the one the plan was made with.
  static func script(
    of header: PlanHeader, _ counts: PlanCounts, _ console: Console
  ) throws(BatchProblem) -> Script? {
    let own = counts.operations.keys.filter { !Operation.names.contains($0) }.sorted()
    return try script(of: header, own, console)
  }

  /// The script for the custom operations with these names; nil if there are none.
  static func script(
    of header: PlanHeader, _ own: [String], _ console: Console
  ) throws(BatchProblem) -> Script? {
    guard let name = own.first else { return nil }
    guard case .success(let text) = console.read(header.script) else {
      throw BatchProblem(
        .notLoaded,
        "the plan has the operation \(name.printable), which only its script defines, and "
          + "\(header.script.printable) cannot be read",
        hint: "run the command in the folder where the plan was made")
    }
    guard header.isMade(by: text) else {
      throw BatchProblem(
        .notLoaded, "the script \(header.script.printable) is not the one the plan was made with",
        hint: "put the old one back, or make the plan again")
    }
    let folder = header.script.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return Script(
      text: text, name: header.script,
      folder: folder.isEmpty ? "." : folder == [""] ? "/" : folder.joined(separator: "/"))
  }
}

extension BatchTarget {
  /// The admin client for a target, as scripts have it.
  static func administrator(
    _ context: ScriptContext, _ tenantID: String?, _ loop: EventLoop
  ) throws(BatchProblem) -> sending Admin {
    do throws(ScriptFailure) {
      return try Interpreter(context: context, actor: LoopActor(loop)).administrator(
        tenantID: tenantID)
    } catch {
      throw BatchProblem(.unavailable, error.message.printable, hint: error.hint ?? "")
    }
  }
}
