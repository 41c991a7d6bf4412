import Client
import Glibc
import HTTP
import IdentityToolkit
import System

/// One step of a row that is being worked on.
///
/// A class, because a copy for each async call would take noticeable time.
final class RowStep: Sendable {
  let row: ClaimedRow
  let kind: String
  let number: Int
  let change: Change
  /// The account that it changes; empty if it names none.
  let uids: [String]
  /// The intent of an earlier run whose outcome was not recorded.
  let recorded: StepIntent?
  /// Whether an earlier run has recorded that the step failed.
  let hasFailed: Bool
  let isLast: Bool
  /// When this process claimed the row.
  let claimedAt: Duration
  /// Whether the step undoes a custom operation whose own outcome is unknown.
  let undoesDoubt: Bool
  /// Whether this or an earlier run has made a step of the row.
  let isBegun: Bool
  /// Whether no step of the row is in effect, so that its preconditions have to hold.
  let isFirst: Bool
  /// Whether earlier steps of the row have to be taken back if this one is refused.
  let takesOthersBack: Bool

  init(
    row: ClaimedRow, kind: String, number: Int, change: Change, record: StepRecord?, isLast: Bool,
    claimedAt: Duration, undoesDoubt: Bool, isBegun: Bool, isFirst: Bool, takesOthersBack: Bool
  ) {
    recorded = record.flatMap { $0.outcome == nil ? $0.intent : nil }
    hasFailed = record?.outcome?.result == .failed
    self.change = recorded?.change ?? change
    uids = self.change.uid.map { [$0] } ?? []
    self.row = row
    self.kind = kind
    self.number = number
    self.isLast = isLast
    self.claimedAt = claimedAt
    self.undoesDoubt = undoesDoubt
    self.isBegun = isBegun
    self.isFirst = isFirst
    self.takesOthersBack = takesOthersBack
  }
}

extension Executor {
  /// Works on a row until it ends or is released.
  func work(on row: ClaimedRow, claimedAt: Duration) async {
    let uids = Self.uids(of: row)
    var row = row
    if locks.mustWait(row.row.number) { await locks.wait(for: row.row.number) }
    do throws(StepStop) {
      guard gate.mayBegin(isBegun: !row.steps.isEmpty) else { throw .ended }
      let isSettled = try await perform(&row, claimedAt: claimedAt)
      if !isSettled { journal.settle(batch, nil, row: row.row.number, end: .done, fault: nil) }
      ended(row, .done, nil)
    } catch {
      await stop(row, error, claimedAt: claimedAt)
    }
    locks.release(row.row.number, uids)
  }

  private func stop(_ row: ClaimedRow, _ reason: StepStop, claimedAt: Duration) async {
    switch await settled(row, reason, claimedAt: claimedAt) {
    case let end?: ended(row, end.state, end.fault)
    case nil:
      do throws(BatchProblem) { try await journal.release(batch, [row.row.number]) } catch {
        fail(error)
      }
      ended(row, nil, nil)
    }
  }

  /// Records the end of a row that was stopped; nil if the row is left for a later run.
  private func settled(
    _ row: ClaimedRow, _ reason: StepStop, claimedAt: Duration
  ) async -> RowEnd? {
    switch reason {
    case .ended: return nil
    case .over(let end): return end
    case .refused(let step, let fault):
      var row = row
      row.steps.removeAll { $0.intent.step == step }
      return await takeBack(row, after: fault, claimedAt: claimedAt)
    case .fault(let found), .doubt(let found):
      var fault = RowSecrets(row.row).clean(found)
      if case .fault = reason, let change = await change(behind: fault, of: row) { fault = change }
      guard !batch.takesBack || row.made.isEmpty else {
        if case .fault = reason, !row.isInDoubt {
          return await takeBack(row, after: fault, claimedAt: claimedAt)
        }
        return end(row, .halfDone, .inDoubt(after: fault))
      }
      // The run ends because too many rows failed, so leave the rows in progress to a later run.
      if spentErrors { return nil }
      return end(row, .failed, fault)
    }
  }

  /// Records the end of a row.
  func end(_ row: ClaimedRow, _ state: RowState, _ fault: RowFailure) -> RowEnd {
    journal.settle(batch, nil, row: row.row.number, end: state, fault: fault)
    return RowEnd(state: state, fault: fault)
  }

  /// Carries out the operations of a row; returns true when the last step has also recorded the row's end.
  private func perform(
    _ row: inout ClaimedRow, claimedAt: Duration
  ) async throws(StepStop) -> Bool {
    guard case .run(let operations) = row.row.decision else { return false }
    var images = RowImages()
    if row.isBeingTakenBack { try await finishTakingBack(&row, claimedAt: claimedAt) }
    if row.made.isEmpty {
      try await refresh(&images, operations.flatMap(\.uids) + row.row.expects.uids)
    }
    // An operation checks itself before its own first step, so a row with only one needs no other check.
    if batch.kind == .run, operations.count > 1,
      row.steps.allSatisfy({ $0.outcome?.result == .failed })
    {
      try await check(operations, &images)
    }
    var count = 0
    var isBegun = !row.steps.isEmpty
    var isSettled = false
    for (position, operation) in operations.enumerated() {
      if isStale(operation.uids, images) { try await refresh(&images, operation.uids) }
      let changes = try changes(of: operation, row, after: count, images)
      for (index, change) in changes.enumerated() {
        let number = count + index + 1
        let record = row.steps.first { $0.intent.step == number }
        if let outcome = record?.outcome, outcome.result != .failed { continue }
        let step = RowStep(
          row: row, kind: operation.name, number: number, change: change, record: record,
          isLast: position == operations.count - 1 && index == changes.count - 1,
          claimedAt: claimedAt,
          undoesDoubt: operation.doubts(change),
          isBegun: isBegun, isFirst: row.made.isEmpty,
          takesOthersBack: batch.takesBack && !row.made.isEmpty)
        if let made = try await carryOut(step, &images) {
          row.steps.removeAll { $0.intent.step == number }
          row.steps.append(made)
        }
        isBegun = true
        isSettled = step.isLast
      }
      count += changes.count
    }
    return isSettled
  }

  /// The changes of an operation, computed from the accounts as they were before the first of them.
  private func changes(
    of operation: Operation, _ row: ClaimedRow, after count: Int, _ images: RowImages
  ) throws(StepStop) -> [Change] {
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

struct LookedUp: Sendable {
  var users: [JSON] = []
  /// The same accounts by uid.
  var images = AccountImages()
  var fault: RowFailure?
  var isEnded = false

  fileprivate mutating func add(_ found: [JSON]) {
    users += found
    for user in found {
      if let uid = user["localId"]?.string { images[uid] = user }
    }
  }
}

/// The accounts of a row, with the times of their lookups.
struct RowImages {
  private(set) var images = AccountImages()
  /// When each account was looked up: few enough for a search from the start.
  private var times: [(uid: ExactString, at: Duration)] = []

  /// The accounts that were not looked up since a time, each once.
  func missing(_ uids: [String], since moment: Duration) -> [String] {
    var missing: [String] = []
    for uid in uids {
      let key = ExactString(uid)
      if let time = times.first(where: { $0.uid == key }), time.at >= moment { continue }
      if !missing.contains(where: { ExactString($0) == key }) { missing.append(uid) }
    }
    return missing
  }

  mutating func take(_ uid: String, from found: AccountImages, at now: Duration) {
    images[uid] = found[uid]
    forget(uid)
    times.append((ExactString(uid), now))
  }

  /// Marks a changed account for a new lookup.
  mutating func forget(_ uid: String) { times.removeAll { $0.uid == ExactString(uid) } }
}

/// Why work on a row stopped.
enum StepStop: Error {
  /// The run is ending; the row is released.
  case ended
  /// The row failed; its state is not recorded yet.
  case fault(RowFailure)
  /// The same, while it is unknown whether the current step was carried out.
  case doubt(RowFailure)
  /// A step failed, and the journal has recorded the step, but not the row, whose other steps have to be taken back.
  case refused(step: Int, RowFailure)
  /// The row ended, and the journal has recorded it.
  case over(RowEnd)
}

/// How a row ended that was not carried out.
struct RowEnd: Sendable {
  let state: RowState
  let fault: RowFailure
}

extension Executor {
  /// How long a lookup waits for others to join it.
  private static let patience = Duration.milliseconds(2)

  /// Whether one of the accounts is unknown or too old; asked before `refresh`, it saves the async call.
  func isStale(_ uids: [String], _ images: RowImages) -> Bool {
    !images.missing(uids, since: gate.now - settings.imageLifetime).isEmpty
  }

  /// Looks up the accounts that are unknown or too old.
  func refresh(
    _ images: inout RowImages, _ uids: [String], notBefore moment: Duration? = nil
  ) async throws(StepStop) {
    let missing = images.missing(uids, since: moment ?? (gate.now - settings.imageLifetime))
    for start in stride(from: 0, to: missing.count, by: Admin.mostLookedUp) {
      let part = missing[start..<min(start + Admin.mostLookedUp, missing.count)]
      // Take the time before the request: the response may miss a change made meanwhile.
      let asked = gate.now
      let found = try await look(up: part.map { .uid($0) })
      for uid in part { images.take(uid, from: found.images, at: asked) }
    }
  }

  /// Looks up accounts in one call with those that other rows need.
  func look(up identifiers: [UserIdentifier]) async throws(StepStop) -> LookedUp {
    let found: LookedUp
    if let open = lookUp, open.fits(identifiers.count) {
      found = await open.join(identifiers)
    } else {
      let own = Batcher<UserIdentifier, LookedUp>(identifiers, most: Admin.mostLookedUp)
      lookUp = own
      try? await loop.sleep(for: Self.patience)
      if lookUp === own { lookUp = nil }
      found = await look(up: own.items[...])
      own.answer(found)
    }
    if found.isEnded { throw .ended }
    if let fault = found.fault { throw .fault(fault) }
    return found
  }

  private func look(up identifiers: ArraySlice<UserIdentifier>) async -> LookedUp {
    var tries = Tries(most: settings.tries)
    let successes = gate.successes
    while true {
      guard await gate.sitOut() else { return LookedUp(isEnded: true) }
      do throws(AdminError) {
        var seen: Set<AccountKey> = []
        let unique = identifiers.filter { seen.insert(AccountKey($0)).inserted }
        let users = try await admin.lookUpWire(unique, repeats: false)
        succeeded("lookup")
        var found = LookedUp()
        found.add(users)
        return found
      } catch {
        let fault = FaultClass(error)
        let own = note(fault, of: "lookup") ?? .zero
        switch fault {
        case .run:
          fail(BatchProblem(error))
          return LookedUp(isEnded: true)
        case .row: return await divided(identifiers, error)
        case .throttled, .retryable:
          guard let wait = tries.next(chance: gate.chance()) else {
            if gate.successes == successes { fail(.silent(error.message, tries.failed)) }
            return LookedUp(fault: RowFailure(error), isEnded: gate.successes == successes)
          }
          guard await gate.rest(for: max(wait, own)) else { return LookedUp(isEnded: true) }
        }
      }
    }
  }

  /// The account with its password hash, if the backend shows it.
  func withHash(_ account: JSON?) async throws(StepStop) -> JSON? {
    guard let account, Admin.hidesHash(account) else { return account }
    var tries = Tries(most: settings.tries)
    while true {
      guard await gate.sitOut() else { throw .ended }
      do throws(AdminError) {
        let whole = try await admin.withHash(account)
        succeeded("batchGet")
        return whole
      } catch {
        let fault = FaultClass(error)
        let own = note(fault, of: "batchGet") ?? .zero
        switch fault {
        // Ignore the error: the deletion itself will show whether the run can continue.
        case .run, .row: return account
        case .throttled, .retryable:
          guard let wait = tries.next(chance: gate.chance()) else {
            throw .fault(RowFailure(error))
          }
          guard await gate.rest(for: max(wait, own)) else { throw .ended }
        }
      }
    }
  }

  /// Halves a rejected lookup to find the identifiers that the backend rejects.
  private func divided(
    _ identifiers: ArraySlice<UserIdentifier>, _ error: AdminError
  ) async -> LookedUp {
    // The backend rejects a malformed identifier; it names no account.
    guard identifiers.count > 1 else { return LookedUp(fault: RowFailure(error)) }
    let middle = identifiers.startIndex + identifiers.count / 2
    var found = await look(up: identifiers[..<middle])
    let other = await look(up: identifiers[middle...])
    found.add(other.users)
    found.fault = found.fault ?? other.fault
    found.isEnded = found.isEnded || other.isEnded
    return found
  }

  /// Counts a call that succeeded.
  func succeeded(_ kind: String) {
    gate.succeeded()
    meter.called(kind, nil)
  }

  /// Counts a failed call; returns how long it alone must wait if it was throttled.
  @discardableResult
  func note(_ fault: FaultClass, of kind: String) -> Duration? {
    meter.called(kind, fault)
    guard case .throttled(let asked) = fault else { return nil }
    let wait = gate.throttled(after: asked)
    hear(.throttled(rate: gate.pace.rate))
    return wait
  }
}

extension RowFailure {
  init(_ error: AdminError) { self.init(error.code.rawValue, error.message) }
}

extension BatchProblem {
  /// An error that ends the run, because it affects every row.
  init(_ error: AdminError) {
    self.init(.unavailable, error.message, hint: "\(error.hint); then the same command continues")
  }

  /// The error when the backend fails for all rows.
  static func silent(_ words: String, _ tries: Int) -> BatchProblem {
    BatchProblem(
      .unavailable,
      "the backend makes no change: after \(tries) tries of a step it still returns: \(words)",
      hint: "wait until it is back, or the quota is free again; then the same command continues")
  }
}
