import System
import HTTP
import Prompt
import Reference
import Host

/// `luath doc`: prints the reference in the terminal.
enum DocCommand {
  static let description = CommandDescription(
    name: "doc",
    summary: "Explains what scripts can use: a module, a class, a function, an error, a word.",
    operands: "[NAME...]",
    options: [],
    examples: [
      "luath doc", "luath doc signIn", "luath doc luath.http", "luath doc weakPassword",
      "luath doc second factor",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let catalogue: Catalogue
    do throws(HTTPError) { catalogue = try await Catalogue.make() } catch {
      return CommandFailure(error).report(console)
    }
    let style = style(console)
    let name = arguments.operands.joined(separator: " ")
    guard !name.isEmpty else {
      console.writeOutput(
        catalogue.overview(style) + "luath doc NAME tells more, luath doc WORD what mentions it.\n")
      return .code(.ok)
    }
    if let text = catalogue.explanation(of: name, style) ?? PromptWord(name)?.text {
      console.writeOutput(text)
      return .code(.ok)
    }
    let near = catalogue.nearest(to: name)
    if let mentions = catalogue.mentions(of: name, style) {
      let advice = near.map { "; did you mean \($0)?" } ?? "."
      console.writeOutput("nothing is called \(name.printable)\(advice)\n\n\(mentions)")
      return .code(.ok)
    }
    console.report(
      "nothing is called or mentions '\(String(name.prefix(60)).printable)'",
      hint: near.map { "did you mean \($0)?" } ?? "luath doc lists all modules and classes")
    return .code(.nothing)
  }

  /// The style for the terminal's width; bold only on a terminal and without `NO_COLOR`.
  private static func style(_ console: Console) -> HelpStyle {
    let isBold =
      console.outputColumns != nil && console.environment["NO_COLOR", default: ""].isEmpty
      && console.environment["TERM"] != "dumb"
    return HelpStyle(columns: console.outputColumns ?? 80, isBold: isBold)
  }
}
