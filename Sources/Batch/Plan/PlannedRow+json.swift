import System

extension PlannedRow {
  /// Reads a row of a plan file or journal; an error has the code `invalidPlan` or that of an operation.
  init(json: JSON) throws(RowFailure) {
    guard let members = json.object else { throw RowFailure("invalidPlan", "it is no object") }
    let reader = try MemberReader(
      members, of: "", names: ["row", "line", "key", "in", "do", "skip", "refused", "why"])
    let decisions = ["do", "skip", "refused"].filter { reader.value($0) != nil }
    guard decisions.count == 1 else {
      throw reader.fault("it must have one of do, skip and refused", code: "invalidPlan")
    }
    // A script may return any key, even an empty string.
    guard let key = reader.value("key")?.string else {
      throw reader.fault("key must be a string", code: "invalidPlan")
    }
    self.init(
      number: try reader.whole("row"), line: try reader.whole("line"), key: key,
      input: try reader.objectIfAny("in"),
      decision: try Self.decision(reader), reason: try reader.textIfAny("why"))
  }

  private static func decision(_ reader: MemberReader) throws(RowFailure) -> Decision {
    if let fault = reader.value("refused") { return .refuse(try RowFailure(json: fault)) }
    if let isSkipped = try reader.flagIfAny("skip") {
      guard isSkipped else { throw reader.fault("skip must be true", code: "invalidPlan") }
      return .skip
    }
    guard let items = reader.value("do")?.array else {
      throw reader.fault("do must be a list of operations", code: "invalidPlan")
    }
    var operations: [Operation] = []
    for item in items { operations.append(try Operation(recorded: item)) }
    return operations.isEmpty ? .skip : .run(operations)
  }

  /// The row in the form of a plan file; a row without operations is written as skipped.
  var json: JSON {
    var object: JSONObject = [
      "row": .integer(number), "line": .integer(line), "key": .string(key),
    ]
    object["in"] = input.map(JSON.object)
    switch decision {
    case .run(let operations) where !operations.isEmpty:
      object["do"] = .array(operations.map(\.json))
    case .run, .skip: object["skip"] = true
    case .refuse(let fault): object["refused"] = fault.json
    }
    if let reason, !reason.isEmpty { object["why"] = .string(reason) }
    return .object(object)
  }
}
