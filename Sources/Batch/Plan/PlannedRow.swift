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
}

/// The first line of a plan file: what the plan was made from, and for which project.
public struct PlanHeader: Sendable {
  /// The version of the plan file format.
  static let version: Int64 = 1

  /// The only project that the plan may run against.
  var projectID: String
  /// The tenant that owns the accounts; nil for the project's own accounts.
  var tenantID: String?
  /// The path of the script as the user gave it.
  var script: String
  /// SHA-256 of the script's text, in hexadecimal.
  var scriptDigest: String
  /// The input's name, `-` for standard input.
  var input: String
  /// The column names, in order; empty when rows are JSON.
  var columns: [String]
  /// When the plan was made, in RFC 3339.
  var made: String
  /// The maximum number of rows, if the plan is a sample of the first rows.
  var sample: Int64?

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
