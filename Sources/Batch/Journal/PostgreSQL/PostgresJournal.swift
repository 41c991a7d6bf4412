import Storage
import Synchronization
import System

/// A journal in a PostgreSQL database, for several processes on several machines.
///
/// Rows are claimed with a lease, which expires by the clocks of the other processes when a process does not renew it.
/// A process whose lease expired can no longer write, nor make a call. After a server restart or network failure, a commit with an unknown
/// outcome is checked before it is repeated.
final class PostgresJournal: QueuedJournal {
  /// The header of the journal's plan.
  let header: PlanHeader
  let digest: String
  let queue: JournalQueue<PostgresTables>
  private let control: PostgresControl
  private let isClosing: Atomic<Bool>

  private init(
    _ queue: JournalQueue<PostgresTables>, _ control: PostgresControl, _ meta: JournalMeta
  ) {
    self.queue = queue
    self.control = control
    header = meta.header
    digest = meta.digest
    isClosing = Atomic(false)
  }

  /// Opens a journal, or creates it and loads the plan's rows; of several processes, one loads them.
  ///
  /// The URL is `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with an optional `#NAME` for one of several journals in
  /// a database. Throws `usage` when the journal belongs to another plan or key, or when it does not exist and no plan
  /// is given, and `unavailable` when the server cannot be used.
  ///
  /// With a plan, a server that does not respond is waited for.
  ///
  /// - Parameter notice: Tells the user what is waited for.
  static func open(
    url: Secret, key: JournalKey?, plan: JournalPlan?,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws(BatchProblem) -> PostgresJournal {
    try await open(
      url: url, key: key, plan: plan, lease: .seconds(30), patience: .seconds(120), notice: notice)
  }

  /// Opens a journal with other times, for tests.
  ///
  /// - Parameters:
  ///   - lease: How long a process counts as alive without renewing its lease.
  ///   - patience: How long to wait for a lost server.
  package static func open(
    url: Secret, key: JournalKey?, plan: JournalPlan?, lease: Duration,
    patience: Duration, notice: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws(BatchProblem) -> PostgresJournal {
    let address: PostgresAddress
    do throws(QueueProblem) { address = try PostgresAddress(url, .batch) } catch {
      throw BatchProblem(error)
    }
    let opening = PostgresOpening(notice: notice)
    let counted = plan.map { plan in
      JournalPlan(header: plan.header, digest: plan.digest) { () throws(BatchProblem) in
        opening.beginLoading()
        return try await plan.rows()
      }
    }
    let start = ContinuousClock.now
    while true {
      do throws(BatchProblem) {
        return try await open(
          address, key: key, plan: counted, lease: lease, patience: patience, opening)
      } catch {
        // Retry only if the server was reachable before: an address or login that never worked needs the user. Do not
        // retry after loading began, because a plan's rows can be read only once.
        let isAwaited = plan != nil && opening.isAwaited(address)
        guard opening.mayTryAgain || isAwaited, start.duration(to: .now) < patience else {
          throw error
        }
        if isAwaited {
          let seconds = Int(patience / .seconds(1))
          opening.announce(
            "PostgreSQL at \(address.shown) does not respond; waiting for it, at most \(seconds) seconds"
          )
        }
        try? await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  private static func open(
    _ address: PostgresAddress, key: JournalKey?, plan: JournalPlan?,
    lease: Duration, patience: Duration, _ opening: PostgresOpening
  ) async throws(BatchProblem) -> PostgresJournal {
    let queue = try await JournalQueue { () throws(PostgresFailure) in
      try PostgresTables(address, lease: lease, patience: patience, opening: opening)
    } problem: {
      opening.failed($0)
      return BatchProblem($0.problem)
    }
    do throws(BatchProblem) {
      let name = "the journal at \(address.shown)"
      let meta = try await meta(of: queue, key: key, plan: plan, name: name)
      let runner = try await queue.perform { tables throws(PostgresFailure) in
        try tables.removeUnloaded()
        try tables.unlock()
        return tables.runner
      }
      let control = try await PostgresControl.start(
        address, runner: runner, lease: lease, patience: patience, queue.store.leaseClock)
      return PostgresJournal(queue, control, meta)
    } catch {
      await queue.close()
      throw error
    }
  }

  private static func meta(
    of queue: JournalQueue<PostgresTables>, key: JournalKey?, plan: JournalPlan?, name: String
  ) async throws(BatchProblem) -> JournalMeta {
    let codec = JournalCodec(key: key)
    let known = try await queue.perform { tables throws(PostgresFailure) in
      tables.codec = codec
      return try tables.meta()
    }
    if let known {
      try codec.verify(known.keyCheck, journal: name)
      try plan?.check(
        known.header, digest: known.digest, journal: name,
        hint: "give the plan that it was made for; for another plan name another journal in the "
          + "database, at the end of --queue: postgres://…/DATABASE#NAME")
      return known
    }
    guard let plan else {
      throw BatchProblem(
        .usage, "\(name) has no plan yet",
        hint: "give one: 'luath batch run PLAN --queue … --execute'")
    }
    let meta = JournalMeta(header: plan.header, digest: plan.digest, keyCheck: codec.check)
    try await queue.perform { tables throws(PostgresFailure) in try tables.begin(meta) }
    _ = try await queue.load(.run, of: nil, rows: plan.rows)
    return meta
  }

  /// Claims pending rows, unless the run was undone.
  func claim(_ run: BatchRun, atMost count: Int) async throws(BatchProblem) -> [ClaimedRow] {
    let (rows, undo) = try await queue.perform { tables throws(PostgresFailure) in
      (try tables.claim(run.number, atMost: count), tables.undo)
    }
    if let undo {
      throw BatchProblem(
        .inUse, "run \(run.number) was undone by run \(undo.number), so this process ends",
        hint: "luath batch status shows both runs")
    }
    return rows
  }

  /// Adds a run, or returns the same run if another process has added it since `runs` was last called.
  ///
  /// If several processes add the same run, one loads it and the others wait. If that one dies, the run does not exist.
  func add(
    _ kind: BatchRun.Kind, of: Int64?,
    rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> BatchRun {
    while try await !queue.perform({ tables throws(PostgresFailure) in try tables.lock() }) {
      // Poll instead of waiting in the database, which would also block this process's lease renewal.
      try? await Task.sleep(for: .milliseconds(100))
    }
    let result: Result<BatchRun, BatchProblem>
    do throws(BatchProblem) {
      let other = try await queue.perform { tables throws(PostgresFailure) in
        try tables.removeUnloaded()
        return try tables.runOfOthers(kind, of: of)
      }
      if let other {
        result = .success(other)
      } else {
        let idle = kind.isUndo ? of.map(IdleRun.init) : nil
        let rows = { @Sendable [queue] () async throws(BatchProblem) in
          try await idle?.wait(on: queue)
          return try await rows()
        }
        result = .success(try await queue.load(kind, of: of, rows: rows))
      }
    } catch {
      result = .failure(error)
    }
    try await queue.perform { tables throws(PostgresFailure) in try tables.unlock() }
    return try result.get()
  }

  /// Whether less than half of the lease has passed since it was renewed.
  var hasFreshLease: Bool { queue.store.leaseClock.isFresh }

  /// Renews the lease; throws if other processes have taken the rows over.
  func confirmOwnership() async throws(BatchProblem) { try await queue.flush() }

  func openRows(_ run: BatchRun) async throws(BatchProblem) -> Int64 {
    try await queue.perform { tables throws(PostgresFailure) in try tables.openRows(run.number) }
  }

  /// Writes the recorded outcomes, releases this process's rows and closes the connections.
  func close() async {
    guard !isClosing.exchange(true, ordering: .acquiringAndReleasing) else { return }
    queue.store.isClosing.store(true, ordering: .relaxed)
    await control.stop()
    await queue.close()
  }

  // MARK: State shared by all processes

  /// The current outage of the server; nil while it is reachable.
  var outage: JournalOutage? { queue.store.outage.current }

  /// The stream of commands to all processes from now on; starts with a pause if one is in effect.
  func controls() -> AsyncStream<BatchControl> { control.controls() }

  /// Sends a command to all processes that work on the journal, including this one.
  ///
  /// A rate limit is for all processes together. A rate limit and a pause also apply to processes that join later.
  func send(_ control: BatchControl) async throws(BatchProblem) {
    try await self.control.send(control)
  }

  /// The rate limit and pause of all processes.
  func pace() async throws(BatchProblem) -> PostgresSharedRate { try await control.pace() }

  /// The processes that have claimed rows of a run.
  func holders(of run: BatchRun) async throws(BatchProblem) -> [RowHolder] {
    try await queue.perform { tables throws(PostgresFailure) in try tables.holders(of: run.number) }
  }

  /// Takes up to `count` permits from the rate limit of all processes; all of them if there is no limit.
  func takeTokens(atMost count: Int) async throws(BatchProblem) -> Int {
    try await control.takeTokens(atMost: count)
  }
}

/// Waits once until no process has rows of a run.
private actor IdleRun {
  private let run: Int64
  private var isIdle = false

  init(_ run: Int64) { self.run = run }

  func wait(on queue: JournalQueue<PostgresTables>) async throws(BatchProblem) {
    while !isIdle {
      // The refusal is no error of the queue, which has to remove the run that was begun.
      isIdle = try await queue.perform { [run] tables throws(PostgresFailure) in
        do throws(PostgresFailure) {
          return Result<Bool, BatchProblem>.success(try tables.isIdle(run))
        } catch .refused(let problem) {
          return .failure(BatchProblem(problem))
        }
      }.get()
      if !isIdle { try? await Task.sleep(for: .milliseconds(250)) }
    }
  }
}

/// The rate limit and pause shared by all processes that work on one journal.
struct PostgresSharedRate: Sendable, Equatable {
  /// Whether the processes are paused.
  let isPaused: Bool
  /// The limit for all processes together, in calls per second; nil for no limit.
  let rate: Double?
}
