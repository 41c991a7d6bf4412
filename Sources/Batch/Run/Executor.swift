import Client
import System
import HTTP

/// Carries out the rows of a run: claims them, looks up their accounts, and for each step records an intent, makes
/// the call and records the outcome.
///
/// All of its work runs on its loop's thread.
actor Executor {
  nonisolated let loop: EventLoop
  let journal: any RowJournal
  let batch: BatchRun
  let settings: BatchSettings
  let custom: ScriptOperations?
  /// The rate and commands shared with other machines.
  let shared: (any SharedRate)?
  /// Permits taken from the shared rate but not used yet.
  var stock = 0
  let taking = SharedWork<Void, BatchProblem>()
  private let makeAdmin: @Sendable (EventLoop) throws(BatchProblem) -> sending Admin
  private var made: Admin?
  let gate: ConcurrencyLimit
  let locks = AccountLocks()
  let hear: @Sendable (BatchEvent) -> Void

  /// The open group of lookups.
  var lookUp: Batcher<UserIdentifier, LookedUp>?
  /// The open groups of imports and deletions.
  var groups: [String: Batcher<Change, [CallResult]>] = [:]
  /// When the next deletion may be sent.
  var nextDeletion = Duration.zero
  /// The project's password hash parameters, needed to restore accounts.
  var ownHash: JSONObject?
  /// Whether each address has at most one account; nil until a row needs to know.
  var oneAccountPerEmail: Bool?
  let askingForAddresses = SharedWork<Bool, Never>()

  /// How many rows may still be claimed; nil for all.
  private var rowsLeft: Int?
  /// The number of rows in progress.
  var active = 0
  /// How many of the rows in progress wait in a group.
  var parked = 0
  /// Whether no further row will be claimed.
  var isFed = false
  var problem: BatchProblem?
  /// The number of calls that changed an account.
  var changed: Int64 = 0
  /// Consecutive rows that failed because of the backend, without a successful change between them.
  var lostRows: [PlannedRow] = []
  /// Whether the run ends because the backend fails for all rows.
  var wasSilent = false
  /// Whether more rows failed than are allowed.
  private(set) var spentErrors = false
  var meter = BatchMeter()
  var orders = PaceOrders()
  /// Why no step begins for now; nil if steps may begin.
  var held: PaceHold?
  private var fed: CheckedContinuation<Void, Never>?

  /// The executor of the loop's thread.
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Creates an executor; `makeAdmin` is called on the loop's thread when the run begins.
  init(
    _ batch: BatchRun, of journal: any RowJournal, settings: BatchSettings, on loop: EventLoop,
    custom: ScriptOperations? = nil, shared: (any SharedRate)? = nil,
    hear: @escaping @Sendable (BatchEvent) -> Void = { _ in },
    makeAdmin: @escaping @Sendable (EventLoop) throws(BatchProblem) -> sending Admin
  ) {
    self.batch = batch
    self.journal = journal
    self.settings = settings
    rowsLeft = settings.rows
    self.loop = loop
    self.custom = custom
    self.shared = shared
    self.hear = hear
    self.makeAdmin = makeAdmin
    gate = ConcurrencyLimit(
      loop: loop, concurrency: settings.concurrency, rate: nil, slowest: settings.slowestRate)
  }

  /// The admin client that makes the calls.
  var admin: Admin {
    guard let made else { preconditionFailure("calls are made only while a run goes on") }
    return made
  }

  /// Carries out all pending rows and returns the result.
  ///
  /// - Throws: An error of the journal or the key, before any row is begun.
  func run() async throws(BatchProblem) -> BatchEnd {
    made = try makeAdmin(loop)
    meter = BatchMeter(try await journal.tally(batch), at: gate.now)
    try await keepTimetable()
    let timekeeper = settings.rate.flatMap { timetable in
      timetable.isConstant
        ? nil : Task(executorPreference: loop) { await self.watchTimetable() }
    }
    let follower = shared.map { shared in
      Task(executorPreference: loop) { await self.follow(shared.controls()) }
    }
    let watcher = shared.map { _ in Task(executorPreference: loop) { await self.watchOthers() } }
    defer {
      timekeeper?.cancel()
      follower?.cancel()
      watcher?.cancel()
    }
    await withDiscardingTaskGroup { group in
      while let rows = await nextRows() {
        let now = gate.now
        for row in rows {
          locks.enqueue(row.row.number, Self.uids(of: row))
          group.addTask(executorPreference: loop) { await self.work(on: row, claimedAt: now) }
        }
      }
      isFed = true
    }
    var isRecorded = false
    do throws(BatchProblem) {
      try await reopenLostRows()
      try await journal.flush()
      isRecorded = true
      if shared != nil { try await lookAtAll() }
    } catch {
      fail(error)
    }
    var end = BatchEnd(status: status)
    end.isRecorded = isRecorded
    end.own = shared == nil ? nil : meter.own
    end.status.state = .ended
    end.problem = problem
    end.spentErrors = spentErrors
    end.hasReachedLimit = rowsLeft == 0 && gate.phase == .running
    end.wasDrained = gate.phase == .draining && !spentErrors
    return end
  }

  // MARK: Feeding

  /// The maximum number of rows in progress, not counting rows that wait in groups.
  ///
  /// Large enough that every permit is in use; small enough that rows get a permit before their lookups expire.
  private var window: Int {
    let most = max(8 * gate.concurrency, 256)
    guard let rate = gate.pace.rate else { return most }
    let lifetime = settings.imageLifetime / .seconds(1)
    return min(most, max(8, Int(min(rate, 1_000_000) * lifetime / 4)))
  }
  /// The maximum number of rows that wait in groups.
  private static let mostParked = 3 * Admin.mostChanged

  /// Claims the next rows; nil when there are none or none may begin.
  private func nextRows() async -> [ClaimedRow]? {
    while gate.phase == .running, rowsLeft != 0 {
      let room = min(window - (active - parked), Self.mostParked - parked)
      guard room > 0, !gate.isPaused else {
        await withCheckedContinuation { fed = $0 }
        continue
      }
      do throws(BatchProblem) {
        let rows = try await journal.claim(batch, atMost: min(room, 500, rowsLeft ?? 500))
        guard rows.isEmpty else {
          guard gate.phase == .running else {
            try await journal.release(batch, rows.map(\.row.number))
            return nil
          }
          isFed = false
          active += rows.count
          rowsLeft = rowsLeft.map { $0 - rows.count }
          meter.claimed(rows.count)
          return rows
        }
        isFed = true
        guard try await waitForOthers() else { return nil }
      } catch {
        fail(error)
      }
    }
    return nil
  }

  /// Waits a second if another process may still have rows; returns false when this process has all remaining rows.
  ///
  /// The rows of a process that dies become pending again. Pending rows count as well: `claim` skips rows that
  /// another process is claiming, and they look pending until that process commits.
  private func waitForOthers() async throws(BatchProblem) -> Bool {
    guard shared != nil else { return false }
    // Read this first: a row of this process that ends during the query must not count as another process's row.
    let own = Int64(active)
    guard try await journal.openRows(batch) > own else { return false }
    return await gate.rest(for: .seconds(1))
  }

  /// Wakes the claiming of rows.
  func feed() {
    fed.take()?.resume()
    if gate.phase != .running { journal.endClaims() }
  }

  // MARK: Row and step ends

  /// Records the end of a row; a nil state means that the row was released.
  func ended(_ row: ClaimedRow, _ state: RowState?, _ fault: RowFailure?) {
    active -= 1
    meter.ended(state, at: gate.now)
    if let state {
      // A half-done row is not tried again unasked.
      if state == .halfDone { lostRows.removeAll { $0.number == row.row.number } }
      hear(.row(number: row.row.number, key: row.row.key, state, fault))
      // The 100th row may be a success that makes the percentage count, so check after each row.
      if !spentErrors, settings.errors.isSpent(failed: meter.failed, of: meter.finished) {
        spentErrors = true
        gate.drain()
      }
    }
    feed()
  }

  /// Records the end of a step.
  func ended(_ row: ClaimedRow, _ kind: String, _ uid: String?, _ outcome: StepOutcome) {
    meter.ended(outcome.result, at: gate.now)
    hear(.step(key: row.row.key, kind: kind, uid: uid, outcome))
  }

  /// Records that a step is taken back that was in effect.
  func tookBack(_ row: ClaimedRow, _ record: StepRecord, _ outcome: StepOutcome) {
    meter.tookBack(record.outcome?.result)
    hear(.step(key: row.row.key, kind: Self.takingBack, uid: record.intent.change.uid, outcome))
  }

  /// Records that steps no longer count, because their row begins anew.
  func forgot(_ results: [StepOutcome.Result]) { meter.forgot(results) }

  /// Requeues rows that failed because the backend went down just before the run ended.
  private func reopenLostRows() async throws(BatchProblem) {
    guard wasSilent, !lostRows.isEmpty else { return }
    try await journal.reopen(batch, lostRows.map(\.number))
    meter.reopened(lostRows.count)
    for row in lostRows { hear(.row(number: row.number, key: row.key, .waiting, nil)) }
  }

  /// Ends the run at once: no further call is made, and rows are released.
  func fail(_ cause: BatchProblem) {
    if problem == nil { problem = cause }
    gate.stop()
    feed()
  }

  // MARK: Control

  /// Executes a user's command.
  func control(_ control: BatchControl) {
    switch control {
    case .pause: orders.isPaused = true
    case .resume: orders.isPaused = false
    case .drain: gate.drain()
    case .rate(let rate): orders.limit = rate
    case .concurrency(let count): gate.set(concurrency: count)
    }
    hear(.control(control))
    applyOrders()
  }

  /// The progress of the run.
  var status: BatchStatus {
    var status = meter.status(at: gate.now)
    status.state = gate.phase == .running ? gate.isPaused ? .paused : .running : .draining
    status.hold = held
    status.limit = gate.pace.limit
    status.spans = settings.rate?.spans(from: settings.secondOfDay()) ?? []
    status.learned = gate.pace.learned
    status.throttles = gate.pace.throttles
    status.concurrency = gate.concurrency
    status.inFlight = gate.inFlight
    status.elapsed = gate.now
    status.outage = shared?.outage
    return status
  }

  // MARK: Rows

  /// The accounts of a row, each once.
  static func uids(of row: ClaimedRow) -> [ExactString] {
    guard case .run(let operations) = row.row.decision else { return [] }
    let uids = operations.flatMap(\.uids).map { ExactString($0) }
    return uids.count > 1 ? Array(Set(uids)) : uids
  }
}
