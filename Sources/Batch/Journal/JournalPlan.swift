/// A plan to create a journal from, or to check an existing journal against.
struct JournalPlan: Sendable {
  /// The header of the plan.
  var header: PlanHeader
  /// SHA-256 of the plan file, in hexadecimal.
  var digest: String
  /// Returns the rows one after the other, then nil; called only if the journal has no rows yet.
  var rows: @Sendable () async throws(BatchProblem) -> PlannedRow?

  /// Throws unless the journal was made for this plan.
  func check(
    _ header: PlanHeader, digest: String, journal: String,
    hint: String = "give the plan that it was made for; another plan needs a journal of its own"
  ) throws(BatchProblem) {
    let isSameProject =
      header.projectID.utf8.elementsEqual(self.header.projectID.utf8)
      && header.tenantID == self.header.tenantID
    guard digest == self.digest, isSameProject else {
      throw BatchProblem(
        .usage,
        "\(journal) belongs to another plan: to \(Self.name(header, digest)), "
          + "and not to \(Self.name(self.header, self.digest))",
        hint: hint)
    }
  }

  private static func name(_ header: PlanHeader, _ digest: String) -> String {
    let tenant = header.tenantID.map { ", tenant \($0)" } ?? ""
    return "the plan \(digest.prefix(12)) for project \(header.projectID)\(tenant)"
  }
}
