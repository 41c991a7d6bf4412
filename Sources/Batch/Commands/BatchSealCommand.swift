import Host

/// `luath batch seal`: recomputes the checksum of a plan that was edited on purpose.
enum BatchSealCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch seal",
    summary: "Takes a plan that was edited on purpose for whole: gives it a new last line.",
    operands: "PLAN", options: [], examples: ["luath batch seal plan.ndjson"])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard let plan = arguments.operands.first, !plan.isEmpty, arguments.operands.count == 1
    else { throw UsageError("luath batch seal takes a plan: luath batch seal PLAN") }
    return await BatchSubject.report(console) { () async throws(BatchProblem) in
      let counts = try PlanReader.seal(path: console.whole(plan)).counts
      console.writeOutput(
        "\(plan.printable): \(counts.run) to run, \(counts.skip) to skip, \(counts.refused) refused\n"
      )
      return .success(.code(.ok))
    }
  }
}
