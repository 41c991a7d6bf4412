import Client
import HTTP
import IdentityToolkit
import System

enum CallResult: Sendable {
  /// The call succeeded; how long it took.
  case done(Duration)
  case failed(CallFailure)
  /// The call was not made, because the run is ending.
  case ended
}

/// A failed call and its class.
struct CallFailure: Sendable {
  let kind: FaultClass
  private(set) var fault: RowFailure
  let isOutcomeUnknown: Bool
  let problem: BatchProblem
  let duration: Duration
  /// How long this call alone must wait before it is repeated, if it was throttled.
  var ownWait: Duration?

  init(_ error: AdminError, _ duration: Duration) {
    kind = FaultClass(error)
    fault = RowFailure(error)
    isOutcomeUnknown = error.isOutcomeUnknown
    problem = BatchProblem(error)
    self.duration = duration
  }

  init(_ failure: CustomFailure, _ duration: Duration) {
    kind = failure.isRetryable ? .retryable : .row
    fault = failure.fault
    isOutcomeUnknown = failure.isOutcomeUnknown
    problem = BatchProblem(.unavailable, failure.fault.message, hint: "see the script")
    self.duration = duration
  }

  /// An account that was rejected within a batch call.
  init(refused words: String, _ duration: Duration) {
    let code: ErrorCode =
      switch words {
      case _ where words.contains("localId belongs"): .uidAlreadyExists
      case _ where words.contains("email exists"), _ where words.contains("duplicate email"):
        .emailAlreadyInUse
      case _ where words.contains("raw id exists"): .credentialAlreadyInUse
      case _ where words.lowercased().contains("phone number exists"): .phoneNumberAlreadyExists
      default: .invalidArgument
      }
    self.init(AdminError(code, "the backend refuses the account: \(words)"), duration)
  }

  /// The same failure with the row's secrets masked in its error.
  func hiding(_ secrets: RowSecrets) -> CallFailure {
    var failure = self
    failure.fault = secrets.clean(fault)
    return failure
  }
}

extension Executor {
  func call(_ change: Change, account: JSON?) async -> CallResult {
    switch change {
    case .update(let uid, let body):
      return await single("update") { () async throws(AdminError) in
        try await admin.updateWire(uid: uid, body)
      }
    case .linkAsUser(let uid, let credential):
      return await single("linkAsUser") { () async throws(AdminError) in
        try await admin.linkAsUser(uid: uid, credential: credential)
      }
    case .create, .delete: return await callTogether(change)
    case .custom(let name, let uid, let arguments):
      guard let custom else {
        return .failed(
          CallFailure(
            CustomFailure(
              RowFailure("unknownOperation", "the script has no operation \(name)")), .zero))
      }
      // The permit was taken before the intent was recorded.
      guard await ownsRows() else { return .ended }
      let began = ContinuousClock.now
      do throws(CustomFailure) {
        try await custom.run(name, uid: uid, arguments: arguments, account: account)
        succeeded("custom")
        return .done(began.duration(to: .now))
      } catch {
        let failure = CallFailure(error, began.duration(to: .now))
        note(failure.kind, of: "custom")
        return .failed(failure)
      }
    }
  }

  /// Makes one call, with a permit of the concurrency limit.
  private func single(
    _ kind: String, _ body: () async throws(AdminError) -> Void
  ) async -> CallResult {
    guard await gate.enter() else { return .ended }
    defer { gate.leave() }
    guard await ownsRows() else { return .ended }
    let began = ContinuousClock.now
    do throws(AdminError) {
      try await body()
      succeeded(kind)
      return .done(began.duration(to: .now))
    } catch {
      var failure = CallFailure(error, began.duration(to: .now))
      failure.ownWait = note(failure.kind, of: kind)
      return .failed(failure)
    }
  }

  /// Whether the rows are still this process's: a process that was stopped for long may have lost them.
  ///
  /// Ask directly before each call; if they are lost, the run ends.
  private func ownsRows() async -> Bool {
    do throws(BatchProblem) {
      if !journal.hasFreshLease { try await journal.confirmOwnership() }
      try journal.checkContact()
      return true
    } catch {
      fail(error)
      return false
    }
  }

  // MARK: Grouped calls

  /// How long a group stays open after the last change joined it.
  private static let quietTime = Duration.milliseconds(100)
  private static let look = Duration.milliseconds(5)

  /// Sends an import or deletion in one call with those of other rows.
  private func callTogether(_ change: Change) async -> CallResult {
    let key = change.groupKey
    if let open = groups[key], open.fits(1) {
      let position = open.count
      parked += 1
      feed()
      let results = await open.join([change])
      parked -= 1
      return position < results.count ? results[position] : .ended
    }
    let own = Batcher<Change, [CallResult]>([change], most: Admin.mostChanged)
    groups[key] = own
    parked += 1
    feed()
    await gather(own)
    if groups[key] === own { groups[key] = nil }
    parked -= 1
    let results = await send(own.items[...])
    own.answer(results)
    return results.first ?? .ended
  }

  /// Waits until no other row is likely to join.
  private func gather(_ group: Batcher<Change, [CallResult]>) async {
    var count = group.count
    var last = gate.now
    while !group.isFull, gate.phase != .stopped {
      // All active rows wait in a group, and no further rows are coming.
      if isFed, active <= parked { return }
      guard (try? await loop.sleep(for: Self.look)) != nil else { return }
      if group.count > count {
        count = group.count
        last = gate.now
      } else if gate.now - last >= Self.quietTime {
        return
      }
    }
  }

  /// Sends changes of one kind in one call; if the backend rejects the call, halves the group to isolate the cause.
  private func send(_ changes: ArraySlice<Change>) async -> [CallResult] {
    // Take one permit for the whole group: the rate limit counts calls, not accounts.
    guard (try? await admit(isBegun: true)) != nil else { return changes.map { _ in .ended } }
    defer { gate.retire() }
    let isDeletion = if case .delete? = changes.first { true } else { false }
    if isDeletion, !admin.target.isEmulated { await waitForDeletion() }
    guard await gate.enter() else { return changes.map { _ in .ended } }
    guard await ownsRows() else {
      gate.leave()
      return changes.map { _ in .ended }
    }
    let began = ContinuousClock.now
    let result: Result<[Int: String], AdminError>
    do throws(AdminError) {
      result = .success(try await isDeletion ? delete(changes) : create(changes))
    } catch {
      result = .failure(error)
    }
    gate.leave()
    let took = began.duration(to: .now)
    let kind = isDeletion ? "batchDelete" : "batchCreate"
    switch result {
    case .success(let refused):
      succeeded(kind)
      return changes.indices.map { index in
        refused[index - changes.startIndex].map { .failed(CallFailure(refused: $0, took)) }
          ?? .done(took)
      }
    case .failure(let error):
      var failure = CallFailure(error, took)
      failure.ownWait = note(failure.kind, of: kind)
      guard failure.kind == .row, changes.count > 1 else {
        return changes.map { _ in .failed(failure) }
      }
      // The backend changed nothing, because it rejected the whole call.
      let middle = changes.startIndex + changes.count / 2
      return await send(changes[..<middle]) + send(changes[middle...])
    }
  }

  /// Waits, because Google accepts only one batch deletion per second.
  private func waitForDeletion() async {
    let now = gate.now
    let turn = max(now, nextDeletion)
    nextDeletion = turn + .seconds(1)
    if turn > now { try? await loop.sleep(for: turn - now) }
  }

  private func delete(_ changes: ArraySlice<Change>) async throws(AdminError) -> [Int: String] {
    try await admin.deleteWire(changes.compactMap(\.uid))
  }

  private func create(_ changes: ArraySlice<Change>) async throws(AdminError) -> [Int: String] {
    guard case .create(_, let given, let overwrites)? = changes.first else { return [:] }
    let accounts = changes.compactMap { change in
      if case .create(let account, _, _) = change { account } else { nil }
    }
    var hash = given
    // A restored account has the project's own hash parameters.
    if hash == nil, accounts.contains(where: { $0["passwordHash"] != nil }) {
      hash = try await hashOfProject()
    }
    return try await admin.createWire(accounts, hash: hash, overwrites: overwrites)
  }

  private func hashOfProject() async throws(AdminError) -> JSONObject {
    if let ownHash { return ownHash }
    let hash = try await admin.ownPasswordHash()
    ownHash = hash
    return hash
  }
}

extension Change {
  /// Changes with the same key can go out in one call.
  fileprivate var groupKey: String {
    switch self {
    case .create(let account, let hash, let overwrites):
      // Keep accounts with a password hash apart from those without one.
      "create \(overwrites) \(account["passwordHash"] != nil) "
        + (hash.map { JSON.object($0).encoded(sortedKeys: true) } ?? "")
    case .delete: "delete"
    default: ""
    }
  }
}

/// Batches the requests of several tasks into one: the first task makes the request, the others wait for its result.
///
/// Confined to one thread.
final class Batcher<Item, Answer: Sendable> {
  /// The requested items; the first task's come first.
  private(set) var items: [Item]
  private let most: Int
  private var waiters: [CheckedContinuation<Answer, Never>] = []

  /// Starts a batch of at most `most` items.
  init(_ items: [Item], most: Int) {
    self.items = items
    self.most = most
    self.items.reserveCapacity(min(most, 128))
  }

  var count: Int { items.count }
  var isFull: Bool { items.count >= most }

  func fits(_ count: Int) -> Bool { items.count + count <= most }

  /// Adds items and waits for the result.
  func join(_ more: [Item]) async -> Answer {
    items += more
    return await withCheckedContinuation { waiters.append($0) }
  }

  /// Passes the result to all waiting tasks.
  func answer(_ answer: Answer) {
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume(returning: answer) }
  }
}
