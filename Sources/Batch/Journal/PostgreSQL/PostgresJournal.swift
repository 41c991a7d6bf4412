public import Encoding
import Synchronization

/// A journal in a PostgreSQL database, which several processes on several machines work on together.
///
/// Rows are claimed with a lease that ends by the server's clock when a process gives no sign any more; a process
/// that others took for dead is refused whatever it still wants to write. When the server is restarted or the
/// network fails, a commit whose end is unknown is looked up before it is made again.
public final class PostgresJournal: QueuedJournal {
  /// The plan that the journal belongs to.
  public let header: PlanHeader
  let queue: JournalQueue<PostgresTables>
  private let control: PostgresControl
  private let isClosing: Atomic<Bool>

  private init(
    _ queue: JournalQueue<PostgresTables>, _ control: PostgresControl, _ meta: JournalMeta
  ) {
    self.queue = queue
    self.control = control
    header = meta.header
    isClosing = Atomic(false)
  }

  /// Opens a journal, or makes it and takes the plan's rows over; of several processes one does.
  ///
  /// The URL is `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, and `#NAME` behind it tells one of several
  /// journals in a database. It throws `usage` when the journal belongs to another plan or another key, or when
  /// there is none and no plan is given, and `unavailable` when the server cannot be used.
  public static func open(
    url: Secret, key: JournalKey?, plan: JournalPlan?, shard: BatchShard? = nil
  ) async throws(BatchProblem) -> PostgresJournal {
    try await open(
      url: url, key: key, plan: plan, shard: shard, lease: .seconds(30), patience: .seconds(120))
  }

  /// Opens with other times than those of a real run: how long a silent process is believed to be alive, and how
  /// long a lost server is waited for.
  package static func open(
    url: Secret, key: JournalKey?, plan: JournalPlan?, shard: BatchShard?, lease: Duration,
    patience: Duration
  ) async throws(BatchProblem) -> PostgresJournal {
    let address = try PostgresAddress(url)
    let opening = PostgresOpening()
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
          address, key: key, plan: counted, shard: shard, lease: lease, patience: patience, opening)
      } catch {
        // A server that went away comes back as for a run that goes on; one that never was there, or that takes
        // nobody in, needs a person. The rows of a plan can be read only once.
        guard opening.mayTryAgain, start.duration(to: .now) < patience else { throw error }
        try? await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  private static func open(
    _ address: PostgresAddress, key: JournalKey?, plan: JournalPlan?, shard: BatchShard?,
    lease: Duration, patience: Duration, _ opening: PostgresOpening
  ) async throws(BatchProblem) -> PostgresJournal {
    let queue = try await JournalQueue { () throws(PostgresFailure) in
      try PostgresTables(
        address, shard: shard, lease: lease, patience: patience, opening: opening)
    } problem: {
      opening.failed($0)
      return $0.problem
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
        address, runner: runner, lease: lease, patience: patience)
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

  /// Adds a run, or gives the one that another process has added since this one asked for the runs.
  ///
  /// Of several processes that are told the same one loads it and the others wait. If it dies meanwhile, there is none.
  public func add(
    _ kind: BatchRun.Kind, of: Int64?,
    rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> BatchRun {
    while try await !queue.perform({ tables throws(PostgresFailure) in try tables.lock() }) {
      // Not in the database, where the signs of life of this process would wait as well.
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
        result = .success(try await queue.load(kind, of: of, rows: rows))
      }
    } catch {
      result = .failure(error)
    }
    try await queue.perform { tables throws(PostgresFailure) in try tables.unlock() }
    return try result.get()
  }

  /// How many rows of this process's part have not ended, whichever process has them.
  public func openRows(_ run: BatchRun) async throws(BatchProblem) -> Int64 {
    try await queue.perform { tables throws(PostgresFailure) in try tables.openRows(run.number) }
  }

  /// Writes what was noted, gives the rows of this process back and ends the connections.
  public func close() async {
    guard !isClosing.exchange(true, ordering: .acquiringAndReleasing) else { return }
    queue.store.isClosing.store(true, ordering: .relaxed)
    await control.stop()
    await queue.close()
  }

  // MARK: What all processes share

  /// Since when the server cannot be reached; nil while it can.
  public var outage: JournalOutage? { queue.store.outage.current }

  /// What is told to all processes that work on the journal, from now on; a pause that is on comes first.
  public func controls() -> AsyncStream<BatchControl> { control.controls() }

  /// Tells all processes that work on the journal, this one included.
  ///
  /// A rate is that of all together, and it and a pause hold for those too that come later.
  public func send(_ control: BatchControl) async throws(BatchProblem) {
    try await self.control.send(control)
  }

  /// What holds for all processes that work on the journal.
  public func pace() async throws(BatchProblem) -> PostgresPace { try await control.pace() }

  /// Takes calls out of the budget of all processes: as many as there are, up to so many; all of them when there
  /// is no rate.
  public func takeTokens(atMost count: Int) async throws(BatchProblem) -> Int {
    try await control.takeTokens(atMost: count)
  }
}
