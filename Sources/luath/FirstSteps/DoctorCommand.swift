import System
import Batch
import Host

/// `luath doctor`: checks that this machine has what luath needs, and says what to do.
enum DoctorCommand {
  static let description = CommandDescription(
    name: "doctor", summary: "Looks whether all is there that luath needs, and says what to do.",
    operands: "",
    options: [
      Option(
        "target", "NAME",
        "look at this target: emulator, emulator:HOST:PORT, firebase, or one of the project file"),
      Option("config", "FILE", "the app's configuration for firebase, as for luath run"),
      Option("project", "FILE", "the project file; otherwise the nearest luath.lua"),
      Option("queue", "URL", "look at this PostgreSQL server too: a URL, or a variable's name"),
      Option("json", nil, "tell it as one JSON object, for programs"),
    ],
    examples: [
      "luath doctor",
      "luath doctor --target staging --queue BATCH_QUEUE",
      "luath doctor --json",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    if let operand = arguments.operands.first {
      throw UsageError("luath doctor takes no operand: \(operand.printable)")
    }
    let queue = try BatchRunCommand.queue(arguments, console)
    let targets = try TargetCheck(arguments, console)
    var findings = MachineCheck(console).findings
    findings += await BrowserCheck.findings(console.environment)
    findings += await PostgresCheck.findings(queue)
    findings += await targets.findings()
    let isWell = !findings.contains { $0.level == .problem }
    if arguments.flags.contains("json") {
      let report: JSON = [
        "luath": .string(Version.current), "ok": .bool(isWell),
        "findings": .array(findings.map(\.json)),
      ]
      console.writeOutput(report.encoded(pretty: true) + "\n")
    } else {
      let width = findings.map(\.subject.count).max() ?? 0
      console.writeOutput(findings.map { $0.lines(width: width) }.joined() + summary(findings))
    }
    return .code(isWell ? .ok : .failed)
  }

  private static func summary(_ findings: [DoctorFinding]) -> String {
    func count(_ level: DoctorFinding.Level, _ word: String) -> String? {
      let number = findings.count { $0.level == level }
      return number == 0 ? nil : "\(number) \(word)\(number == 1 ? "" : "s")"
    }
    let parts = [count(.problem, "problem"), count(.warning, "warning")].compactMap { $0 }
    return "\n\(parts.isEmpty ? "all is well" : parts.joined(separator: ", "))\n"
  }
}
