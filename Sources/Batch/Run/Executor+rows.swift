import System
import Glibc

/// One step of a row that is being worked on.
struct RowStep {
  let row: ClaimedRow
  let kind: String
  let number: Int
  let change: Change
  /// The intent of an earlier run whose outcome was not recorded.
  let recorded: StepIntent?
  let isLast: Bool
  /// When this process claimed the row.
  let claimedAt: Duration
  /// Whether the step undoes a custom operation whose own outcome is unknown.
  let undoesDoubt: Bool
  /// Whether this or an earlier run has made a step of the row.
  let isBegun: Bool
}

extension Executor {
  /// Works on a row until it ends or is released.
  func work(on row: ClaimedRow, claimedAt: Duration) async {
    let uids = Self.uids(of: row)
    await locks.wait(for: row.row.number)
    do throws(StepStop) {
      guard gate.mayBegin(isBegun: !row.steps.isEmpty) else { throw .ended }
      let isSettled = try await perform(row, claimedAt: claimedAt)
      if !isSettled { journal.settle(batch, nil, row: row.row.number, end: .done, fault: nil) }
      ended(row, .done, nil)
    } catch {
      await stop(row, error)
    }
    locks.release(row.row.number, uids)
  }

  private func stop(_ row: ClaimedRow, _ reason: StepStop) async {
    var reason = reason
    // The run ends because too many rows failed, so release the rows in progress for a later run.
    if spentErrors, case .fault = reason { reason = .ended }
    switch reason {
    case .failed(let fault): ended(row, .failed, fault)
    case .fault(let found):
      let fault = RowSecrets(row.row).clean(found)
      journal.settle(batch, nil, row: row.row.number, end: .failed, fault: fault)
      ended(row, .failed, fault)
    case .ended:
      do throws(BatchProblem) { try await journal.release(batch, [row.row.number]) } catch {
        fail(error)
      }
      ended(row, nil, nil)
    }
  }

  /// Carries out the operations of a row; returns true when the last step has also recorded the row's end.
  private func perform(
    _ row: ClaimedRow, claimedAt: Duration
  ) async throws(StepStop) -> Bool {
    guard case .run(let operations) = row.row.decision else { return false }
    var images = RowImages()
    var count = 0
    var isBegun = !row.steps.isEmpty
    var isSettled = false
    for (position, operation) in operations.enumerated() {
      let changes = try await changes(of: operation, row, after: count, &images)
      for (index, change) in changes.enumerated() {
        let number = count + index + 1
        let record = row.steps.first { $0.intent.step == number }
        if let outcome = record?.outcome, outcome.result != .failed { continue }
        let step = RowStep(
          row: row, kind: operation.name, number: number,
          change: record.flatMap { $0.outcome == nil ? $0.intent.change : nil } ?? change,
          recorded: record.flatMap { $0.outcome == nil ? $0.intent : nil },
          isLast: position == operations.count - 1 && index == changes.count - 1,
          claimedAt: claimedAt,
          undoesDoubt: operation.doubts(change),
          isBegun: isBegun)
        try await carryOut(step, &images)
        isBegun = true
        isSettled = step.isLast
      }
      count += changes.count
    }
    return isSettled
  }

  /// The changes of an operation, computed from the accounts as they were before the first of them.
  private func changes(
    of operation: Operation, _ row: ClaimedRow, after count: Int, _ images: inout RowImages
  ) async throws(StepStop) -> [Change] {
    try await refresh(&images, operation.uids)
    var accounts = images.images
    var seen: Set<ExactString> = []
    // If an earlier run began the operation, use the accounts from its first intents, not the half-changed ones.
    for record in row.steps.sorted(by: { $0.intent.step < $1.intent.step })
    where record.intent.step > count {
      guard let uid = record.intent.change.uid, seen.insert(ExactString(uid)).inserted else {
        continue
      }
      accounts[uid] = record.intent.before
    }
    do throws(RowFailure) {
      return try operation.changes(for: accounts)
    } catch {
      throw .fault(error)
    }
  }
}
