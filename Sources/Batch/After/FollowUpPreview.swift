import System

/// A preview of an undo or finalize run, computed without changing anything.
struct FollowUpPreview: Sendable {
  /// The number of rows.
  private(set) var rows: Int64 = 0
  /// The number of calls that would be made, by kind.
  private(set) var calls: [String: Int64] = [:]
  /// Rows that would stay unchanged, by error code.
  private(set) var kept = CauseGroups()
  /// The number of rows for each reason why something cannot be undone.
  private(set) var lost: [String: Int64] = [:]

  private let undoable: Set<String>

  /// Reads the rows of a follow-up run and looks up their accounts.
  ///
  /// - Parameter undoable: The custom operations for which the script has an `undo`.
  init(
    _ next: @Sendable () async throws(BatchProblem) -> PlannedRow?, undoable: Set<String> = [],
    _ progress: RowProgress = RowProgress(), look: @escaping AccountLook
  ) async throws(BatchProblem) {
    self.undoable = undoable
    var pages = AccountPages<PlannedRow>(look, uids: \.uids)
    while !progress.isCancelled,
      let page = try await pages.next({ () async throws(BatchProblem) in try await Self.page(next) }
      )
    {
      for row in page.rows { take(row, page.images) }
      progress.note(rows: rows, faults: kept.count)
    }
    await pages.end()
  }

  private static func page(
    _ next: @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> [PlannedRow]? {
    var rows: [PlannedRow] = []
    while rows.count < AccountPages<PlannedRow>.size, let row = try await next() {
      rows.append(row)
    }
    return rows.isEmpty ? nil : rows
  }

  private mutating func take(_ row: PlannedRow, _ images: AccountImages) {
    rows += 1
    guard case .run(let operations) = row.decision else { return }
    do throws(RowFailure) {
      for operation in operations {
        guard case .followUp(let operation) = operation else { continue }
        let changes = try operation.changes(for: images)
        for case .custom(let name, _, _) in changes {
          guard let undone = Change.undone(name), !undoable.contains(undone) else { continue }
          throw RowFailure(
            "notRestorable", "\(undone) has no undo in the script, so that the row ends there")
        }
        if case .undo(_, let steps) = operation {
          for reason in try FollowUp.undoing(steps, images).lost { lost[reason, default: 0] += 1 }
        }
        for change in changes {
          let account = change.uid.flatMap { images[$0] }
          let kind = change.isDone(in: account) ? "done already" : change.kind
          calls[kind, default: 0] += 1
        }
      }
    } catch {
      kept.add(error, of: row)
    }
  }
}

extension PlannedRow {
  var uids: [String] {
    guard case .run(let operations) = decision else { return [] }
    return operations.flatMap(\.uids)
  }
}

extension Change {
  /// What the change does, as text for users.
  var kind: String {
    switch self {
    case .update(_, let body):
      if body["linkProviderUserInfo"] != nil {
        "link an identity"
      } else if body["deleteProvider"] != nil {
        "unlink an identity"
      } else {
        "update an account"
      }
    case .create(_, _, let overwrites):
      overwrites ? "put an account back over another" : "put an account back"
    case .delete: "delete an account"
    case .linkAsUser: "link as the user"
    case .custom(let name, _, _): name
    }
  }
}

/// Rows with an error, grouped by error code.
struct CauseGroups: Sendable {
  /// The rows with one error code.
  struct Group: Sendable, Equatable {
    /// The number of rows.
    var count: Int64 = 0
    /// The message of the first row.
    var example = ""
    /// The numbers of the first few rows.
    var rows: [Int64] = []
    /// The different messages of these rows, ignoring row values.
    var messages = MessageShapes()
  }

  private static let mostRows = 5

  private var groups: [String: Group] = [:]

  /// The number of rows in all groups.
  var count: Int64 { groups.values.reduce(0) { $0 + $1.count } }

  /// The number of rows with an error code.
  func count(of code: String) -> Int64 { groups[code]?.count ?? 0 }

  mutating func add(_ fault: RowFailure, of row: PlannedRow) {
    var group = groups[fault.code] ?? Group()
    group.count += 1
    if group.count == 1 { group.example = fault.message }
    if group.rows.count < Self.mostRows { group.rows.append(row.origin) }
    group.messages.add(fault.message, of: row)
    groups[fault.code] = group
  }

  /// The groups, the largest first.
  var list: [(code: String, group: Group)] {
    groups.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
      .map { ($0.key, $0.value) }
  }

  /// A line for each group, with an example and row numbers.
  var lines: [String] {
    list.map { code, group in
      let more = group.count > Int64(group.rows.count) ? ", …" : ""
      let places = group.rows.map(String.init).joined(separator: ", ")
      let word = group.count == 1 ? "row" : "rows"
      return "\(group.count) \(PlanFaults.brief(code)): \(PlanFaults.brief(group.example)) "
        + "(\(word) \(places)\(more))\(group.messages.more)"
    }
  }
}

extension BatchJournal {
  /// The names of the custom operations that the run still has to do, sorted.
  func scriptOperations(of run: BatchRun) async throws(BatchProblem) -> [String] {
    var names: Set<String> = []
    var pages = RowPages(self, run, states: [.waiting, .claimed, .failed, .halfDone])
    while let page = try await pages.next() {
      for record in page {
        guard case .run(let operations) = record.row.decision else { continue }
        for operation in operations { names.formUnion(operation.scriptNames) }
      }
    }
    return names.sorted()
  }
}

extension PlannedRow {
  /// The names of the custom operations in these rows, sorted.
  ///
  /// - Throws: Also if `progress` was canceled.
  static func scriptOperations(
    _ next: @Sendable () async throws(BatchProblem) -> PlannedRow?, _ progress: RowProgress
  ) async throws(BatchProblem) -> [String] {
    var names: Set<String> = []
    while let row = try await next() {
      try progress.read(1)
      guard case .run(let operations) = row.decision else { continue }
      for operation in operations { names.formUnion(operation.scriptNames) }
    }
    return names.sorted()
  }
}

extension Operation {
  /// The names of the custom operations that it calls.
  var scriptNames: [String] {
    switch self {
    case .custom(let name, _, _): [name]
    case .followUp(.undo(_, let steps)):
      steps.compactMap { step in
        guard case .custom(let name, _, _) = step.change else { return nil }
        return Change.undone(name) ?? name
      }
    default: []
    }
  }
}
