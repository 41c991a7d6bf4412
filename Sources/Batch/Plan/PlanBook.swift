/// A row after the script and the lookups have run, before conflicts with other rows are checked.
struct FinishedRow: Sendable {
  var row: PlannedRow
  /// Whether the input line could be parsed.
  var isReadable = true
  /// What the row claims exclusively if it runs.
  var claims: [PlanClaim] = []
  /// E-mail addresses that several accounts have, with the uids of these accounts.
  var sharedEmails: [(String, [String])] = []
}

/// Takes rows in number order, refuses rows that conflict with an earlier row, and counts.
struct PlanBook: Sendable {
  /// The counts of the rows so far.
  private(set) var summary = PlanSummary()
  private var claims = PlanClaims()

  /// Creates an empty book.
  init() {}

  /// Adds the next row, and returns it as it is written to the plan.
  mutating func enter(_ finished: FinishedRow) -> PlannedRow {
    var row = finished.row
    do throws(RowFailure) {
      if finished.isReadable { try claims.take([.key(row.key)], for: row.number) }
      if case .run = row.decision { try claims.take(finished.claims, for: row.number) }
    } catch {
      row.decision = .refuse(error)
      row.reason = nil
    }
    row = row.withCleanCause
    for (email, uids) in finished.sharedEmails {
      summary.add(shared: email, uids, line: row.line)
    }
    summary.add(row)
    return row
  }
}
