import System
import Journeys
import Host

/// `luath compare`: plays scenarios on two servers and reports where their responses differ.
enum CompareCommand {
  static let description = CommandDescription(
    name: "compare", summary: "Compares a project's answers with those of an emulator.",
    operands: "",
    options: CompareOptions.options + TargetOptions.options + [RealProjectConsent.comparisonOption]
      + [EmulatorSettings.rulesOption(unless: "production")] + EmulatorSettings.options,
    examples: [
      "luath compare --target staging --dry-run",
      "luath compare --target staging --html differences.html",
      "luath compare --target 127.0.0.1:9099 --with compatible --only 'passwords/*'",
    ],
    note:
      "It makes accounts of its own and deletes them at the end, also after Ctrl-C. Their addresses begin with\n"
      + "luath-compare- and end with @example.com. It sends no e-mail and no SMS, and never changes a real\n"
      + "project's settings. Exit code 0 means that all answers are equal, 1 that some differ, 4 that the\n"
      + "comparison was not finished or left something behind.")

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
