import Client
import HTTP
import IdentityToolkit
import System

extension Executor {
  /// Checks before the first step of a row whether all of its operations can be carried out, as the planner does.
  ///
  /// An operation checks itself before its own first step, so a row with only one needs no other check.
  func check(_ operations: [Operation], _ images: inout RowImages) async throws(StepStop) {
    guard batch.kind == .run, operations.count > 1 else { return }
    try await refreshAll(&images, operations.flatMap(\.uids))
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

  /// Looks up any number of accounts that are unknown or too old.
  func refreshAll(_ images: inout RowImages, _ uids: [String]) async throws(StepStop) {
    for start in stride(from: 0, to: uids.count, by: Admin.mostLookedUp) {
      try await refresh(&images, Array(uids[start..<min(start + Admin.mostLookedUp, uids.count)]))
    }
  }
}
