/// A row with what the script and the look-ups came to, before it is known what other rows want.
public struct FinishedRow: Sendable {
  var row: PlannedRow
  /// Whether its line could be read.
  var isReadable = true
  /// What it wants for itself if it is to run.
  var claims: [PlanClaim] = []
  /// Addresses that several accounts have, with the uids.
  var sharedEmails: [(String, [String])] = []
}

/// Takes rows in the order of their numbers, refuses those that want what one before them has, and counts.
public struct PlanBook: Sendable {
  /// The figures of the rows so far.
  public private(set) var summary = PlanSummary()
  private var claims = PlanClaims()

  /// An empty one.
  public init() {}

  /// Takes the next row; gives it as it goes into the plan.
  public mutating func enter(_ finished: FinishedRow) -> PlannedRow {
    var row = finished.row
    do throws(RowFault) {
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
