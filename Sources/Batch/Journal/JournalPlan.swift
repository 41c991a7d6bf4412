/// A plan as a journal takes it over when it is made, and by which it knows its plan again.
public struct JournalPlan: Sendable {
  /// What the plan was made from, and what for.
  public var header: PlanHeader
  /// SHA-256 of the plan file, in hexadecimal.
  public var digest: String
  /// Gives the rows one after the other, and nil behind the last; called only when the journal has none.
  public var rows: @Sendable () async throws(BatchProblem) -> PlannedRow?

  /// Describes a plan.
  public init(
    header: PlanHeader, digest: String,
    rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) {
    self.header = header
    self.digest = digest
    self.rows = rows
  }

  /// Refuses the plan unless it is the one that a journal was made for.
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
