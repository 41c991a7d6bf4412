import Host
import System

/// A line from an engine.
enum WorkMessage: Sendable {
  case hello(WorkHello)
  case row(WorkRow)
  /// A row that cannot be worked on as it was delivered.
  case refused(row: Int64, RowFailure)
  /// A row that has ended already, with its end.
  case ended(row: Int64, end: JSON)
  /// The line with this `seq` is durable, and so are the earlier lines about its row.
  case ack(Int64)
  /// No further row comes.
  case finish
}

/// The first line from an engine.
struct WorkHello: Sendable {
  /// The first line of the plan.
  let header: PlanHeader
  /// SHA-256 of the plan file, if the engine has it.
  let digest: String?
  /// The names of the plan's custom operations.
  let operations: [String]
}

/// A row from an engine.
struct WorkRow: Sendable {
  let claimed: ClaimedRow
  /// The earlier rows of the plan that are done, as far as the row depends on them.
  let done: Set<Int64>
}

/// Reads the lines of an engine.
struct WorkReader: Sendable {
  let codec: JournalCodec
  /// Whether the rows are undone.
  let isUndo: Bool

  /// The run to which the records of the rows belong.
  var run: BatchRun {
    isUndo
      ? BatchRun(number: 2, kind: .undo, of: Self.plan.number) : Self.plan
  }

  private static let plan = BatchRun(number: 1, kind: .run)

  /// Reads a line.
  ///
  /// - Throws: A fault if the line does not follow the protocol; a row that cannot be worked on is a message instead.
  func message(_ text: [UInt8]) throws(RowFailure) -> WorkMessage {
    let json: JSON
    do throws(JSONError) {
      // Deeper than the limit for rows and operations.
      json = try JSON.parse(text, maximumDepth: 512)
    } catch {
      throw RowFailure("", "\(error.message) (column \(error.column))")
    }
    guard let members = json.object else { throw RowFailure("", "it is no object") }
    let reader = try MemberReader(members)
    let type = try reader.text("type")
    func strict(_ names: [String]) throws(RowFailure) -> MemberReader {
      try MemberReader(members, at: ["'\(type)'"], names: ["type"] + names)
    }
    switch type {
    case "hello":
      let version: Int64 = try reader.integer("protocol")
      guard version == WorkLine.version else {
        throw RowFailure(
          "",
          "the engine uses protocol \(version), and this luath supports version \(WorkLine.version)"
        )
      }
      return .hello(
        try Self.hello(try strict(["protocol", "plan", "digest", "operations"])))
    case "row":
      let number: Int64 = try reader.integer("row")
      do throws(RowFailure) {
        return try row(
          number,
          try strict(["row", "group", "after", "plan", "sum", "records", "made", "done", "retry"]),
          members)
      } catch {
        let code = error.code == "invalidOperation" ? "invalidRow" : error.code
        return .refused(row: number, RowFailure(code, error.message))
      }
    case "ack": return .ack(try strict(["seq"]).integer("seq"))
    case "finish":
      _ = try strict([])
      return .finish
    default:
      throw RowFailure(
        "", "there is no type '\(type.printable)'; there are hello, row, ack and finish")
    }
  }

  private static func hello(_ reader: MemberReader) throws(RowFailure) -> WorkHello {
    let plan = try reader.required("plan", reader.objectIfAny("plan"))
    guard plan["luath"]?.string == "plan", plan["version"]?.integer == PlanHeader.version else {
      throw RowFailure(
        "", "'plan' is not the first line of a plan of version \(PlanHeader.version)")
    }
    return WorkHello(
      header: try PlanHeader(json: .object(plan)), digest: try reader.textIfAny("digest"),
      operations: try reader.textsIfAny("operations") ?? [])
  }

  private func row(
    _ number: Int64, _ reader: MemberReader, _ members: JSONObject
  ) throws(RowFailure) -> WorkMessage {
    guard try reader.text("sum") == WorkLine.sum(ofTask: members) else {
      throw RowFailure(
        "damagedTask",
        "the row is not as luath batch tasks wrote it: 'row', 'group', 'after', 'plan'")
    }
    guard (1...RowKey.largestNumber).contains(number) else {
      throw RowFailure("invalidRow", "no plan has a row with this number")
    }
    let planned = try PlannedRow(
      ofPlan: .object(try reader.required("plan", reader.objectIfAny("plan"))))
    guard planned.number == number else {
      throw RowFailure("invalidRow", "'plan' is row \(planned.number)")
    }
    guard case .run(let operations) = planned.decision else {
      throw RowFailure("invalidRow", "the plan has nothing to do for the row")
    }
    for operation in operations { try operation.checkValues() }
    // Without its records, a row would be carried out a second time.
    let records = try reader.required("records", reader.listIfAny("records"))
    let history = try WorkHistory(records, of: RowKey(run: run.number, number: number), codec)
    let made = try reader.listIfAny("made")
    guard isUndo == (made != nil) else {
      throw RowFailure(
        "invalidRow",
        isUndo
          ? "'made' is missing: the records of the row that is to be undone"
          : "'made' is for luath batch work --undo")
    }
    let row = try made.map { made throws(RowFailure) in try undo(planned, made) } ?? planned
    if let end = history.end, try reader.boolIfAny("retry") != true {
      return .ended(row: number, end: end)
    }
    let done = try reader.listIfAny("done", of: .integer, \.integer) ?? []
    return .row(
      WorkRow(claimed: ClaimedRow(row: row, steps: history.steps), done: Set(done)))
  }

  /// The row that undoes a row.
  private func undo(_ row: PlannedRow, _ made: [JSON]) throws(RowFailure) -> PlannedRow {
    let history = try WorkHistory(
      made, of: RowKey(run: Self.plan.number, number: row.number), codec)
    guard history.end != nil else {
      throw RowFailure(
        "notEnded", "the row has not ended: deliver it to luath batch work without --undo first")
    }
    return RowRecord(row: row, state: .done, fault: nil, steps: history.steps).undoing(
      as: row.number)
  }
}
