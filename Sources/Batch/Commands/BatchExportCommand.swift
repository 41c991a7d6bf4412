import Host

/// `luath batch export`: writes rows with their results, in a form from which a new plan can be made.
enum BatchExportCommand {
  static let command = Command(description, run)

  private static let choices: [(name: String, states: Set<RowState>, words: String)] = [
    ("failed", [.failed], "write the rows of which a step was refused"),
    ("half-done", [.halfDone], "write the rows of which earlier steps could not be reversed"),
    ("done", [.done], "write the rows that are done"),
    ("refused", [.refused], "write the rows that the plan refused"),
    ("skipped", [.skipped], "write the rows that the plan skips"),
    ("all", [], "write all rows"),
  ]

  private static let description = CommandDescription(
    name: "batch export",
    summary: "Writes rows with their results, as input for a new plan.",
    operands: "PLAN|JOURNAL",
    options: choices.map { Option($0.name, nil, $0.words) } + [
      Option(
        "events", "FILE",
        "instead of rows, write the events of the run's steps and rows; - is standard output",
        default: "rows are written"),
      Option(
        "output", "FILE", "the file to write; - is standard output", default: "standard output",
        letter: "o"),
      Option(
        "format", "FORMAT", "the format to write: csv or ndjson",
        default: "by the name of FILE, or else csv",
        choices: ["csv", "ndjson"]),
    ] + RowSelection.options + BatchSubject.options,
    examples: [
      "luath batch export rows.plan.ndjson --failed -o failed.csv",
      "luath batch export rows.plan.ndjson --refused -o refused.csv",
      "luath batch export rows.plan.ndjson --all --format ndjson -o all.ndjson",
      "luath batch export rows.plan.ndjson --events events.ndjson",
    ],
    exits: [
      .ok: "at least one row was written", .notLoaded: BatchSubject.unloadable,
      .unavailable: BatchSubject.unavailable, .nothing: "no row matches",
    ])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let subject = try BatchSubject(arguments, console, "luath batch export")
    let chosen = choices.filter { arguments.flags.contains($0.name) }
    if let file = arguments.values["events"] {
      guard !file.isEmpty else { throw UsageError("--events needs a file") }
      guard chosen.isEmpty, arguments.values["output"] == nil, arguments.values["format"] == nil
      else {
        throw UsageError(
          "--events writes events to its own file, and no rows",
          hint: "leave out the other options, or export the rows with another command")
      }
      return await events(file, subject, try RowSelection(arguments), console)
    }
    guard let choice = chosen.first, chosen.count == 1 else {
      throw UsageError(
        "luath batch export takes one of "
          + (choices.map(\.name) + ["events FILE"]).map { "--\($0)" }.joined(separator: ", "))
    }
    let output = arguments.values["output"].flatMap { $0 == "-" ? nil : $0 }
    let word =
      arguments.values["format"] ?? (output?.hasSuffix(".ndjson") == true ? "ndjson" : "csv")
    guard let format = RowExport.Format(rawValue: word) else {
      throw UsageError("--format takes csv or ndjson, not '\(word.printable)'")
    }
    let selection = try RowSelection(arguments)
    return await BatchSubject.report(console) { () async throws(BatchProblem) in
      // The states of rows that were never run are in the plan itself.
      if !subject.hasJournal, subject.parts.isEmpty,
        choice.states.isDisjoint(with: [.failed, .halfDone, .done])
      {
        let header = try PlanReader(path: console.whole(subject.name)).header
        try subject.kept(header).require([.init(option: "-o", path: output)])
        let count = try await RowExport(
          plan: console.whole(subject.name), states: choice.states, selection, format: format
        ).write(to: output.map(console.whole))
        return .success(report(count, output, console))
      }
      let count = try await subject.use { (journal) async throws(BatchProblem) in
        try subject.kept(journal.header).require([.init(option: "-o", path: output)])
        let run =
          [[.failed], [.halfDone]].contains(choice.states)
          ? try await subject.run(of: journal, with: choice.states)
          : try await subject.run(of: journal) { $0.kind == .run }
        if choice.states.isEmpty || choice.states == [.done],
          let undone = try await BatchUndone(run, of: journal)
        {
          console.warn(
            undone.summary,
            hint: "luath_state has the states of rows before the undo, if the run had ended")
        }
        let undone = try await journal.undoneRows(of: run).count
        if undone > 0 {
          console.warn(
            "\(BatchDisplay.rows(Int64(undone))) of \(run.subject) \(undone == 1 ? "was" : "were") undone later",
            hint:
              "luath_state is the state before the undo; luath batch status \(subject.shown) names it"
          )
        }
        return try await RowExport(
          run, of: journal, states: choice.states, selection, format: format
        ).write(to: output.map(console.whole))
      }
      return .success(report(count, output, console))
    }
  }

  private static func events(
    _ file: String, _ subject: BatchSubject, _ selection: RowSelection, _ console: Console
  ) async -> ExitStatus {
    await BatchSubject.report(console) { () async throws(BatchProblem) in
      let count = try await subject.use { (journal) async throws(BatchProblem) in
        try subject.kept(journal.header).require([.init(option: "--events", path: file)])
        let run = try await subject.run(of: journal) { $0.kind == .run }
        return try await EventExport(run, of: journal, selection).write(
          to: file == "-" ? nil : console.whole(file))
      }
      if file != "-" {
        console.writeOutput("\(count) \(count == 1 ? "event" : "events") in \(file.printable)\n")
      }
      return .success(.code(count == 0 ? .nothing : .ok))
    }
  }

  private static func report(
    _ count: Int64, _ output: String?, _ console: Console
  ) -> ExitStatus {
    if let output {
      console.writeOutput("\(BatchDisplay.rows(count)) in \(output.printable)\n")
    }
    return .code(count == 0 ? .nothing : .ok)
  }
}
