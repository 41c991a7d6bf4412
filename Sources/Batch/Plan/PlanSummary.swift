import Client

/// The counts of a plan, for a user to approve.
struct PlanSummary: Sendable {
  /// Rows that share a reason or an error code.
  struct Group: Sendable {
    /// The number of rows.
    var count: Int64 = 0
    /// The input lines of the first few rows.
    var lines: [Int64] = []
    /// The message of the first row.
    var example = ""
    /// The different messages of these rows, ignoring row values.
    var messages = MessageShapes()
  }

  /// The maximum number of lines per group.
  private static let mostLines = 5
  /// The maximum number of different reasons, and of different error codes.
  private static let mostReasons = 1000

  /// The number of all rows.
  private(set) var rows: Int64 = 0
  /// Rows with operations.
  private(set) var run: Int64 = 0
  /// Rows that need no change.
  private(set) var skipped: Int64 = 0
  /// Refused rows.
  private(set) var refused: Int64 = 0
  /// The number of operations by name.
  private(set) var operations: [String: Int64] = [:]
  /// The skipped rows by reason.
  private(set) var reasons: [String: Group] = [:]
  /// The refused rows by code.
  private(set) var refusals: [String: Group] = [:]
  /// E-mail addresses that several accounts have, as far as rows looked them up.
  private(set) var sharedEmails = Group()
  private var seenEmails: Set<UInt64> = []

  /// Creates counts of zero.
  init() {}

  /// Adds a row to the counts.
  mutating func add(_ row: PlannedRow) {
    rows += 1
    switch row.decision {
    case .run(let list):
      run += 1
      for operation in list { operations[operation.name, default: 0] += 1 }
    case .skip:
      skipped += 1
      var reason = row.reason ?? "without a reason"
      if reasons[reason] == nil, reasons.count >= Self.mostReasons { reason = "other reasons" }
      Self.add(row.line, row.reason ?? "", to: &reasons[reason, default: Group()])
    case .refuse(let fault):
      refused += 1
      var code = fault.code
      // A script can use any number of different codes.
      if refusals[code] == nil, refusals.count >= Self.mostReasons { code = "otherCauses" }
      Self.add(row.line, fault.message, to: &refusals[code, default: Group()])
      refusals[code]?.messages.add(fault.message, of: row)
    }
  }

  /// Records an e-mail address that several accounts have; at most a million addresses are recorded.
  mutating func add(shared email: String, _ uids: [String], line: Int64) {
    let key = AccountKey(.email(email)).number
    guard seenEmails.count < 1_000_000, seenEmails.insert(key).inserted else { return }
    let names = uids.prefix(3).map(PlanFaults.brief).joined(separator: ", ")
    Self.add(
      line, "\(PlanFaults.brief(email)): \(names)\(uids.count > 3 ? ", …" : "")",
      to: &sharedEmails)
  }

  private static func add(_ line: Int64, _ example: String, to group: inout Group) {
    if group.count == 0 { group.example = example }
    group.count += 1
    if group.lines.count < mostLines { group.lines.append(line) }
  }
}
