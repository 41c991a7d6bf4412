import Host

/// `luath batch show`: prints one row with its operations and steps.
enum BatchShowCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch show",
    summary: "Shows one row: its operations, steps and outcomes, without secrets.",
    operands: "PLAN|JOURNAL ROW", options: BatchSubject.options,
    examples: ["luath batch show plan.ndjson 42", "luath batch show plan.ndjson 42 --run 2"])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let subject = try BatchSubject(arguments, console, "luath batch show", operands: 2)
    let word = arguments.operands[1]
    guard let number = Int64(word), number > 0, number < 1 << 40 else {
      throw UsageError("luath batch show takes the number of a row, not '\(word.printable)'")
    }
    return await BatchSubject.report(console) { () async throws(BatchProblem) in
      let text = try await subject.use { (journal) async throws(BatchProblem) -> String? in
        let run = try await subject.run(of: journal) { $0.kind == .run }
        return try await RowDescription(number, of: run, journal)?.text
      }
      guard let text else {
        return .failure(
          CommandFailure(
            .nothing, "there is no row \(number)",
            hint: "rows have the numbers of the input, without its header"))
      }
      console.writeOutput(text)
      return .success(.code(.ok))
    }
  }
}
