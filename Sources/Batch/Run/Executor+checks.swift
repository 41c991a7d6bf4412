import Client
import HTTP
import IdentityToolkit
import System

extension Executor {
  /// Checks before the first step of a row whether all of its operations can be carried out, as the planner does.
  func check(_ operations: [Operation], _ images: inout RowImages) async throws(StepStop) {
    try await refresh(&images, operations.flatMap(\.uids))
    let open = try unfinished(operations, images.images)
    let checks = PlanChecks(open, oneAccountPerEmail: await isOneAccountPerEmail(for: open))
    var users = operations.flatMap(\.uids).compactMap { images.images[$0] }
    let others = checks.identifiers.filter { identifier in
      if case .uid = identifier { false } else { true }
    }
    for start in stride(from: 0, to: others.count, by: Admin.mostLookedUp) {
      let part = others[start..<min(start + Admin.mostLookedUp, others.count)]
      users += try await look(up: Array(part)).users
    }
    var owners: [AccountKey: [UserRecord]] = [:]
    do {
      for user in users {
        let user = try UserRecord(wire: user)
        for key in Set(user.identifiers.map(AccountKey.init)) {
          owners[key, default: []].append(user)
        }
      }
      _ = try checks.judge { owners[AccountKey($0)] ?? [] }
    } catch let fault as RowFailure {
      throw .fault(fault)
    } catch let error as AdminError {
      throw .fault(RowFailure(error))
    } catch {
      throw .fault(RowFailure("unknown", "\(error)"))
    }
  }

  /// The operations without imports and deletions that are in effect already, which the planner would refuse.
  ///
  /// - Throws: If an operation cannot be carried out on its accounts, as far as no earlier one changes them.
  private func unfinished(
    _ operations: [Operation], _ accounts: AccountImages
  ) throws(StepStop) -> [Operation] {
    var changed: Set<ExactString> = []
    var open: [Operation] = []
    for operation in operations {
      let uids = Set(operation.uids.map { ExactString($0) })
      var isDone = false
      if changed.isDisjoint(with: uids) {
        do throws(RowFailure) {
          let changes = try operation.changes(for: accounts)
          isDone = changes.allSatisfy { change in
            switch change {
            case .create, .delete: change.isDone(in: change.uid.flatMap { accounts[$0] })
            default: false
            }
          }
        } catch {
          throw .fault(error)
        }
      }
      changed.formUnion(uids)
      if !isDone { open.append(operation) }
    }
    return open
  }

  /// Whether operations set an address that only one account may have.
  ///
  /// False if the project's settings cannot be read: then only the backend can tell.
  private func isOneAccountPerEmail(for operations: [Operation]) async -> Bool {
    let setsAddress = PlanChecks(operations, oneAccountPerEmail: true).identifiers.contains {
      if case .email = $0 { true } else { false }
    }
    guard setsAddress else { return false }
    while oneAccountPerEmail == nil {
      oneAccountPerEmail = await askingForAddresses.share { () async throws(Never) in
        do throws(AdminError) {
          return try await LiveAccounts(admin).oneAccountPerEmail()
        } catch {
          return false
        }
      }
    }
    return oneAccountPerEmail ?? false
  }

  /// Checks before the first call of a row that the accounts are as the plan saw them.
  ///
  /// - Throws: A fault with the code `changedSincePlan`, or `userNotFound` if an account is gone.
  func checkPreconditions(
    of row: PlannedRow, _ images: inout RowImages
  ) async throws(StepStop) {
    let uids = row.expects.uids
    if isStale(uids, images) { try await refresh(&images, uids) }
    for uid in uids {
      let differences: [Preconditions.Difference]
      do {
        let user = try UserRecord(wire: try Operation.found(uid, images.images))
        differences = try row.expects.differences(of: user)
      } catch let fault as RowFailure {
        throw .fault(fault)
      } catch {
        throw .fault(RowFailure("unknown", "\(error)"))
      }
      var changed: [String] = []
      for difference in differences where try await !isDone(difference.changedBy, for: row) {
        changed.append(difference.field)
      }
      guard changed.isEmpty else {
        throw .fault(
          .changedSincePlan("the account \(PlanFaults.brief(uid)) was changed: ", changed))
      }
    }
    let absent = row.expects.absent
    for start in stride(from: 0, to: absent.count, by: Admin.mostLookedUp) {
      let part = Array(absent[start..<min(start + Admin.mostLookedUp, absent.count)])
      let users = try await look(up: part).users.compactMap { try? UserRecord(wire: $0) }
      for identifier in part {
        guard let user = users.first(where: identifier.names) else { continue }
        throw .fault(
          .changedSincePlan(
            "the account \(PlanFaults.brief(user.uid)) now has what no account had: ",
            [identifier.kind]))
      }
    }
  }

  /// The change of an account since the plan because of which a row that has not begun cannot be carried out; nil if there
  /// is none.
  func change(behind fault: RowFailure, of row: ClaimedRow) async -> RowFailure? {
    guard batch.kind == .run, row.made.isEmpty, !row.row.expects.isEmpty,
      PlanFaults.ofAccounts.contains(fault.code)
    else { return nil }
    var images = RowImages()
    do throws(StepStop) {
      try await checkPreconditions(of: row.row, &images)
      return nil
    } catch .fault(let change) where change.code == RowFailure.changedSincePlan {
      return change
    } catch {
      return nil
    }
  }

  /// Whether an earlier row of the plan was carried out.
  private func isDone(_ row: Int64?, for other: PlannedRow) async throws(StepStop) -> Bool {
    guard let row else { return false }
    do throws(BatchProblem) {
      return try await journal.isDone(batch, row: row, for: other.number)
    } catch {
      fail(error)
      throw .ended
    }
  }
}

extension RowFailure {
  /// The code of a row whose accounts were changed after it was planned.
  static let changedSincePlan = "changedSincePlan"

  /// The error of such a row.
  fileprivate static func changedSincePlan(_ words: String, _ names: [String]) -> RowFailure {
    RowFailure(
      changedSincePlan,
      "since the row was planned, \(words)\(names.joined(separator: ", ")); "
        + "luath batch replan plans it again")
  }
}

extension UserIdentifier {
  /// What it identifies an account by.
  fileprivate var kind: String {
    switch self {
    case .uid: "uid"
    case .email: "email"
    case .phoneNumber: "phoneNumber"
    case .provider(let id, _): AccountField.identity(at: id)
    }
  }
}
