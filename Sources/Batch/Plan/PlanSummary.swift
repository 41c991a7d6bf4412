import Admin

/// What a plan would do, in figures that a person approves.
public struct PlanSummary: Sendable {
  /// Rows that share a cause.
  public struct Group: Sendable {
    /// How many rows.
    public internal(set) var count: Int64 = 0
    /// The lines of the first of them in the input.
    public internal(set) var lines: [Int64] = []
    /// What is said about the first.
    public internal(set) var example = ""
    /// How many messages there are, those taken for one that differ in what is the row's own alone.
    public internal(set) var messages = MessageShapes()
  }

  /// How many lines are named of a cause.
  private static let mostLines = 5
  /// How many reasons are told apart.
  private static let mostReasons = 1000

  /// All rows.
  public private(set) var rows: Int64 = 0
  /// Rows for which something is to be done.
  public private(set) var run: Int64 = 0
  /// Rows for which nothing is to be done.
  public private(set) var skipped: Int64 = 0
  /// Rows for which nothing can be done.
  public private(set) var refused: Int64 = 0
  /// How many operations there are of each name.
  public private(set) var operations: [String: Int64] = [:]
  /// The skipped rows by reason.
  public private(set) var reasons: [String: Group] = [:]
  /// The refused rows by code.
  public private(set) var refusals: [String: Group] = [:]
  /// Addresses that more than one account has, as far as rows asked for them.
  public private(set) var sharedEmails = Group()
  private var seenEmails: Set<UInt64> = []

  /// Nothing yet.
  public init() {}

  /// Counts a row.
  public mutating func add(_ row: PlannedRow) {
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
      // A script may make up codes.
      if refusals[code] == nil, refusals.count >= Self.mostReasons { code = "otherCauses" }
      Self.add(row.line, fault.message, to: &refusals[code, default: Group()])
      refusals[code]?.messages.add(fault.message, of: row)
    }
  }

  /// Takes note of an address that several accounts have.
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
