import System

/// A row of a plan.
public struct PlannedRow: Sendable {
  /// The plan for the row.
  enum Decision: Sendable {
    /// Run these operations, one after the other.
    case run([Operation])
    /// Do nothing, for the reason that the script gave.
    case skip
    /// Do nothing, because of an error.
    case refuse(RowFailure)
  }

  /// The row's number in the input, from 1, not counting the header.
  var number: Int64
  /// The line in the input where the row begins, from 1.
  var line: Int64
  /// The unique key of the row: the result of the script's `key`, or the row number.
  var key: String
  /// The row's columns; nil when the line could not be parsed.
  var input: JSONObject?
  /// The plan for the row.
  var decision: Decision
  /// The script's reason for the decision.
  var reason: String?
  /// What must be as it was when the row was planned, for the row to run.
  var expects = Preconditions()
}

/// The first line of a plan file: what the plan was made from, and for which project.
public struct PlanHeader: Sendable {
  /// The version of the plan file format.
  static let version: Int64 = 1

  /// The only project that the plan may run against.
  var projectID: String
  /// The tenant that owns the accounts; nil for the project's own accounts.
  var tenantID: String?
  /// The arguments of the script after `--`, by name; all are strings.
  var arguments: JSONObject = [:]
  /// The path of the script as the user gave it.
  var script: String
  /// SHA-256 of the script's text, in hexadecimal.
  var scriptDigest: String
  /// SHA-256 of the files of modules that the script's top level loads, in hexadecimal, by the modules' names; nil in the
  /// plans of older versions.
  var modules: [String: String]?
  /// The input's name, `-` for standard input.
  var input: String
  /// The column names, in order; empty when rows are JSON.
  var columns: [String]
  /// When the plan was made, in RFC 3339.
  var made: String
  /// The maximum number of rows, if the plan is a sample of the first rows.
  var sample: Int64?
  /// Whether `--shard` splits the rows by account; by number in the plans of older versions.
  var isSplitByAccount = true

  /// Creates a header from its parts.
  public init(
    projectID: String, tenantID: String?, script: String, scriptDigest: String, input: String,
    columns: [String], made: String, sample: Int64?
  ) {
    self.projectID = projectID
    self.tenantID = tenantID
    self.script = script
    self.scriptDigest = scriptDigest
    self.input = input
    self.columns = columns
    self.made = made
    self.sample = sample
  }
}

extension PlannedRow {
  /// Reads a row of a plan file or journal; an error has the code `invalidPlan` or that of an operation.
  init(json: JSON) throws(RowFailure) {
    guard let members = json.object else { throw RowFailure("invalidPlan", "it is no object") }
    let reader = try MemberReader(
      members, names: ["row", "line", "key", "in", "do", "expects", "skip", "refused", "why"])
    let decisions = ["do", "skip", "refused"].count { reader.value($0) != nil }
    guard decisions == 1 else {
      throw reader.fault("it must have one of do, skip and refused", code: "invalidPlan")
    }
    // A script may return any key, even an empty string.
    guard let key = reader.value("key")?.string else {
      throw reader.fault("key must be a string", code: "invalidPlan")
    }
    self.init(
      number: try reader.integer("row"), line: try reader.integer("line"), key: key,
      input: try reader.objectIfAny("in"),
      decision: try Self.decision(reader), reason: try reader.textIfAny("why"))
    if let expects = try reader.objectIfAny("expects") {
      self.expects = try Preconditions(json: expects)
    }
  }

  private static func decision(_ reader: MemberReader) throws(RowFailure) -> Decision {
    if let fault = reader.value("refused") { return .refuse(try RowFailure(json: fault)) }
    if let isSkipped = try reader.boolIfAny("skip") {
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
    var object = JSONObject(capacity: 7)
    object["row"] = .integer(number)
    object["line"] = .integer(line)
    object["key"] = .string(key)
    object["in"] = input.map(JSON.object)
    switch decision {
    case .run(let operations) where !operations.isEmpty:
      object["do"] = .array(operations.map(\.json))
      if !expects.isEmpty { object["expects"] = expects.json }
    case .run, .skip: object["skip"] = true
    case .refuse(let fault): object["refused"] = fault.json
    }
    if let reason, !reason.isEmpty { object["why"] = .string(reason) }
    return .object(object)
  }
}
