import Host
import System

/// `luath batch tasks`: writes the rows of a plan as an engine sends them to `luath batch work`.
enum BatchTasksCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch tasks",
    summary: "Writes the rows of a plan as tasks for an engine that runs luath batch work.",
    operands: "PLAN",
    options: [
      Option(
        "output", "FILE", "the file to write; - is standard output", default: "standard output",
        letter: "o")
    ],
    examples: ["luath batch tasks rows.plan.ndjson -o tasks.ndjson"],
    exits: [
      .ok: "at least one row was written", .notLoaded: BatchSubject.unloadable,
      .unavailable: BatchSubject.unavailable, .nothing: "the plan has no rows to run",
    ])

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard let plan = arguments.operands.first, !plan.isEmpty, arguments.operands.count == 1
    else { throw UsageError("luath batch tasks takes a plan: luath batch tasks PLAN") }
    let output = arguments.values["output"].flatMap { $0 == "-" ? nil : $0 }
    return await BatchSubject.report(console) { () async throws(BatchProblem) in
      let reader = try PlanReader(path: console.whole(plan))
      var kept = KeptFiles(arguments, console)
      kept.add(subject: plan)
      kept.add(reader.header)
      try kept.require([.init(option: "-o", path: output)])
      let count = try write(reader, try .orStandardOutput(output.map(console.whole)))
      if let output {
        console.writeOutput("\(BatchDisplay.rows(count)) in \(output.printable)\n")
      }
      return .success(.code(count == 0 ? .nothing : .ok))
    }
  }

  /// Writes the tasks of a plan, and returns their number.
  private static func write(
    _ reader: PlanReader, _ file: OutputFile
  ) throws(BatchProblem) -> Int64 {
    let plan = try reader.check()
    let groups = try groups(of: reader.path)
    let own = plan.counts.operations.keys.filter { !Operation.names.contains($0) }.sorted()
    var hello: JSONObject = [
      "type": "hello", "protocol": .integer(WorkLine.version), "plan": reader.header.json,
      "digest": .string(plan.digest),
    ]
    if !own.isEmpty { hello["operations"] = .array(own.map(JSON.string)) }
    try file.write(JSON.object(hello).encodedBytes() + [0x0A])
    var count: Int64 = 0
    while let row = try reader.next() {
      guard case .run = row.decision else { continue }
      let group = StableHash(value: groups.group(of: row)).digits
      let task = WorkLine.task(
        row, group: String(decoding: group, as: UTF8.self), after: try earlierRows(of: row))
      try file.write(JSON.object(task).encodedBytes() + [0x0A])
      count += 1
    }
    try file.finish()
    return count
  }

  /// The groups whose rows are done one after the other: they have accounts in common, or depend on each other.
  private static func groups(of path: String) throws(BatchProblem) -> RowGroups {
    var groups = RowGroups()
    var needed: Set<Int64> = []
    let rows = try PlanReader(path: path)
    while let row = try rows.next() {
      groups.add(row)
      needed.formUnion(try earlierRows(of: row))
    }
    guard !needed.isEmpty else { return groups }
    // A row depends on earlier ones only.
    var earlier: [Int64: UInt64] = [:]
    let again = try PlanReader(path: path)
    while let row = try again.next() {
      for other in try earlierRows(of: row) {
        if let group = earlier[other] { groups.add(row, to: group) }
      }
      if needed.contains(row.number) { earlier[row.number] = groups.group(of: row) }
    }
    return groups
  }

  /// The rows whose outcome decides what the row's preconditions compare.
  private static func earlierRows(of row: PlannedRow) throws(BatchProblem) -> [Int64] {
    do throws(RowFailure) {
      return try row.expects.rows()
    } catch {
      throw BatchProblem(
        .notLoaded, "row \(row.number) is no row of a plan: \(error.message)",
        hint: "plan again with 'luath batch plan'")
    }
  }
}
