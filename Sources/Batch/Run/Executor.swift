public import Admin
import Encoding
public import HTTP

/// Carries out the rows of a run: claims them, looks their accounts up, and takes each step from a durable
/// intent over a call to its outcome.
///
/// All of its work is done on its loop's thread.
public actor Executor {
  /// The loop it works on.
  public nonisolated let loop: EventLoop
  let journal: any BatchJournal
  let batch: BatchRun
  let settings: BatchSettings
  let custom: (any CustomOperations)?
  /// What other machines share with this one.
  let shared: (any SharedPace)?
  /// Calls that were taken out of the shared rate and not made yet.
  var stock = 0
  let taking = SharedWork<Void, BatchProblem>()
  private let makeAdmin: @Sendable (EventLoop) throws(BatchProblem) -> sending Admin
  /// Made when the run begins, on the loop's thread.
  private var made: Admin?
  let gate: Gate
  let locks = AccountLocks()
  let hear: @Sendable (BatchEvent) -> Void

  /// The look-up that is being put together.
  var lookUp: Gathering<String, LookedUp>?
  /// The imports and deletions that are being put together.
  var groups: [String: Gathering<Change, [CallResult]>] = [:]
  /// When the next deletion may go out.
  var nextDeletion = Duration.zero
  /// The project's own parameters of password hashes, which an account that is put back needs.
  var ownHash: JSONObject?

  /// Rows under way.
  var active = 0
  /// Those of them that wait to go out together with others.
  var parked = 0
  /// Whether no further row will be claimed.
  var isFed = false
  var problem: BatchProblem?
  /// Calls that changed something.
  var changed: Int64 = 0
  /// Rows that failed of the backend, one after the other and nothing done in between.
  var lostRows: [PlannedRow] = []
  /// Whether the run ends as the backend carries nothing out.
  var wasSilent = false
  /// Whether more rows failed than are allowed.
  private(set) var spentErrors = false
  var meter = BatchMeter()
  private var fed: CheckedContinuation<Void, Never>?

  /// The executor runs its work on its loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Prepares a run; `makeAdmin` is called on the loop's thread when it begins.
  public init(
    _ batch: BatchRun, of journal: any BatchJournal, settings: BatchSettings, on loop: EventLoop,
    custom: (any CustomOperations)? = nil, shared: (any SharedPace)? = nil,
    hear: @escaping @Sendable (BatchEvent) -> Void = { _ in },
    makeAdmin: @escaping @Sendable (EventLoop) throws(BatchProblem) -> sending Admin
  ) {
    self.batch = batch
    self.journal = journal
    self.settings = settings
    self.loop = loop
    self.custom = custom
    self.shared = shared
    self.hear = hear
    self.makeAdmin = makeAdmin
    // A rate that is shared is kept by taking calls out of it.
    gate = Gate(
      loop: loop, concurrency: settings.concurrency, rate: shared == nil ? settings.rate : nil)
  }

  /// The administrator who makes the calls.
  var admin: Admin {
    guard let made else { preconditionFailure("calls are made only while a run goes on") }
    return made
  }

  /// Carries out all rows that are left, and tells how it ended.
  ///
  /// - Throws: What went wrong with the journal, or the key, before anything was begun.
  public func run() async throws(BatchProblem) -> BatchEnd {
    made = try makeAdmin(loop)
    meter = BatchMeter(try await journal.tally(batch), at: gate.now)
    let follower = shared.map { shared in
      Task(executorPreference: loop) { await self.follow(shared.controls()) }
    }
    let watcher = shared.map { _ in Task(executorPreference: loop) { await self.watchOthers() } }
    defer {
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
    end.wasDrained = gate.phase == .draining && !spentErrors
    return end
  }

  // MARK: Feeding

  /// How many rows may be under way without those that wait to go out together: enough that no place for a call
  /// is empty, and no more than get their turn before their accounts have to be looked up again.
  private var window: Int {
    let most = max(8 * gate.concurrency, 256)
    guard let rate = gate.pace.rate else { return most }
    let lifetime = settings.imageLifetime / .seconds(1)
    return min(most, max(8, Int(min(rate, 1_000_000) * lifetime / 4)))
  }
  /// How many may wait to go out together.
  private static let mostParked = 3 * Admin.mostChanged

  /// The rows to begin next; nil when there are none, or none may begin.
  private func nextRows() async -> [ClaimedRow]? {
    while gate.phase == .running {
      let room = min(window - (active - parked), Self.mostParked - parked)
      guard room > 0, !gate.isPaused else {
        await withCheckedContinuation { fed = $0 }
        continue
      }
      do throws(BatchProblem) {
        let rows = try await journal.claim(batch, atMost: min(room, 500))
        guard rows.isEmpty else {
          guard gate.phase == .running else {
            try await journal.release(batch, rows.map(\.row.number))
            return nil
          }
          isFed = false
          active += rows.count
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

  /// Waits a while if another process may still have rows; false when this one has all that are left.
  ///
  /// The rows of a process that dies are pending again. Pending rows count as well: `claim` passes over rows that
  /// another process is claiming, and until that process commits they look pending.
  private func waitForOthers() async throws(BatchProblem) -> Bool {
    guard shared != nil else { return false }
    // Read first: a row of this process that ends meanwhile does not belong to another one.
    let own = Int64(active)
    guard try await journal.openRows(batch) > own else { return false }
    return await gate.rest(for: .seconds(1))
  }

  /// Looks again whether rows can be claimed.
  func feed() {
    fed.take()?.resume()
  }

  // MARK: Ends

  /// Takes note of a row's end; nil when it was given back.
  func ended(_ row: ClaimedRow, _ state: RowState?, _ fault: RowFault?) {
    active -= 1
    meter.ended(state, at: gate.now)
    if let state {
      hear(.row(number: row.row.number, key: row.row.key, state, fault))
      // A share may be too much already when the hundredth row is done that says so.
      if !spentErrors, settings.errors.isSpent(failed: meter.failed, of: meter.finished) {
        spentErrors = true
        gate.drain()
      }
    }
    feed()
  }

  /// Takes note of a step's end.
  func ended(_ row: ClaimedRow, _ kind: String, _ uid: String?, _ outcome: StepOutcome) {
    meter.ended(outcome.result, at: gate.now)
    hear(.step(key: row.row.key, kind: kind, uid: uid, outcome))
  }

  /// Lets rows wait again that failed of the backend just before the run ended of it: it is not theirs.
  private func reopenLostRows() async throws(BatchProblem) {
    guard wasSilent, !lostRows.isEmpty else { return }
    try await journal.reopen(batch, lostRows.map(\.number))
    meter.reopened(lostRows.count)
    for row in lostRows { hear(.row(number: row.number, key: row.key, .waiting, nil)) }
  }

  /// Ends the run at once: no call goes out any more, and rows are given back.
  func fail(_ cause: BatchProblem) {
    if problem == nil { problem = cause }
    gate.stop()
    feed()
  }

  // MARK: Control

  /// Does what a person tells the run.
  public func control(_ control: BatchControl) {
    switch control {
    case .pause: gate.set(isPaused: true)
    case .resume: gate.set(isPaused: false)
    case .drain: gate.drain()
    case .rate(let rate): gate.set(rate: rate)
    case .concurrency(let count): gate.set(concurrency: count)
    }
    hear(.control(control))
    feed()
  }

  /// How far the run has come.
  public var status: BatchStatus {
    var status = meter.status(at: gate.now)
    status.state = gate.phase == .running ? gate.isPaused ? .paused : .running : .draining
    status.limit = gate.pace.limit
    status.learned = gate.pace.learned
    status.throttles = gate.pace.throttles
    status.concurrency = gate.concurrency
    status.inFlight = gate.inFlight
    status.elapsed = gate.now
    status.outage = shared?.outage
    return status
  }

  // MARK: Rows

  static func uids(of row: ClaimedRow) -> Set<ExactString> {
    guard case .run(let operations) = row.row.decision else { return [] }
    return Set(operations.flatMap(\.uids).map { ExactString($0) })
  }
}
