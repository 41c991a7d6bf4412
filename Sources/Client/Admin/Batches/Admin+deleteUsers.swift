import System
import IdentityToolkit

extension Admin {
  /// Deletes any number of accounts, 1000 per request.
  ///
  /// Without `force`, accounts that are not disabled are rejected individually. A uid without an
  /// account counts as done.
  public func deleteUsers(
    _ uids: [String], force: Bool = true
  ) async throws(AdminError) -> BatchResult {
    var batch = AccountBatch(count: uids.count, errors: "errors", uid: { uids[$0] }) { part in
      AdminRequest(
        "accounts:batchDelete",
        ["localIds": .array(part.map { .string(uids[$0]) }), "force": .bool(force)])
    }
    // Google's documented limit is one batch deletion per second.
    if !target.isEmulated { batch.pause = .seconds(1) }
    var positions: [Int] = []
    for (index, uid) in uids.enumerated() {
      do {
        try Self.check(uid: uid)
        positions.append(index)
      } catch {
        batch.refuse(index, error.message)
      }
    }
    return try await batch.send(positions, over: self)
  }
}
