import Host

/// `luath batch report`: writes a run as one HTML file.
enum BatchReportCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch report",
    summary: "Writes a page with figures, plots over time and causes of a run.",
    operands: "PLAN|JOURNAL",
    options: [Option("output", "FILE", "the HTML file to write", letter: "o")]
      + BatchSubject.options,
    examples: ["luath batch report plan.ndjson -o run.html"])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let subject = try BatchSubject(arguments, console, "luath batch report")
    guard let output = arguments.values["output"], !output.isEmpty else {
      throw UsageError("luath batch report needs a file: luath batch report PLAN -o FILE.html")
    }
    return await BatchSubject.report(console) { () async throws(BatchProblem) in
      try await subject.use { (journal) async throws(BatchProblem) in
        let run = try await subject.run(of: journal) { $0.kind == .run }
        try await BatchPage(run, of: journal).write(to: console.whole(output))
      }
      console.writeOutput("report: \(output.printable)\n")
      return .success(.code(.ok))
    }
  }
}
