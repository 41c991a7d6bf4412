public import Encoding

/// A row of a plan.
public struct PlannedRow: Sendable {
  /// What the plan says about the row.
  public enum Decision: Sendable {
    /// These operations, one after the other.
    case run([Operation])
    /// Nothing is to be done, for the reason that the script gave.
    case skip
    /// Nothing can be done.
    case refuse(RowFault)
  }

  /// The row's number in the input, from 1, not counting the header.
  public var number: Int64
  /// The line in the input where the row begins, from 1.
  public var line: Int64
  /// What tells the row from all others: what the script's `key` returns, or else its number.
  public var key: String
  /// The row's columns as they were read; nil when the line could not be read.
  public var input: JSONObject?
  /// What is to be done.
  public var decision: Decision
  /// Why, in the script's words.
  public var reason: String?

  /// Describes a row.
  public init(
    number: Int64, line: Int64, key: String, input: JSONObject?, decision: Decision,
    reason: String? = nil
  ) {
    self.number = number
    self.line = line
    self.key = key
    self.input = input
    self.decision = decision
    self.reason = reason
  }
}

/// What a plan was made from, and what for: the first line of a plan file.
public struct PlanHeader: Sendable {
  /// The plan file's version.
  public static let version: Int64 = 1

  /// The project, which a plan is bound to.
  public var projectID: String
  /// The tenant, if the accounts are those of one.
  public var tenantID: String?
  /// The path of the script as it was given.
  public var script: String
  /// SHA-256 of the script's text, in hexadecimal.
  public var scriptDigest: String
  /// The input's name, `-` for the standard input.
  public var input: String
  /// The names of the columns, in order; empty when rows are JSON.
  public var columns: [String]
  /// When it was made, in RFC 3339.
  public var made: String
  /// The number of the sample if the plan covers only the first rows.
  public var sample: Int64?

  /// Describes a plan.
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
