import Glibc
import Synchronization

/// A journal's tables in a PostgreSQL database, which many processes share.
///
/// Each process is a runner with a lease that every commit renews. Rows belong to a runner; those of one whose
/// lease is over wait again. Each commit counts up the runner's serial number, so that after a lost connection
/// it is known whether the last one was done.
// Sendable, because only the thread of the `JournalQueue` that has it calls its functions.
final class PostgresTables: JournalTables, @unchecked Sendable {
  let address: PostgresAddress
  private(set) var connection: PostgresConnection
  /// Set once the key is known to be right.
  var codec = JournalCodec(key: nil)
  let shard: BatchShard?
  /// This process among the runners; 0 until it is one.
  private(set) var runner: Int64 = 0
  /// How long this process is believed to be alive without a sign, in milliseconds.
  let lease: Int64
  private var serial: Int64 = 0
  /// The last run that this process knows of.
  var lastKnown: Int64 = 0
  /// How long a lost server is waited for.
  private let patience: Duration
  private let opening: PostgresOpening
  var pending = PendingWrites()
  var watch: RunnerWatch
  /// Whether the server is away, for others to see.
  let outage = OutageWatch()
  /// Set by others when nobody will wait for a lost server any more.
  let isClosing = Atomic(false)

  init(
    _ address: PostgresAddress, shard: BatchShard?, lease: Duration, patience: Duration,
    opening: PostgresOpening
  ) throws(PostgresFailure) {
    self.address = address
    self.shard = shard
    self.lease = Int64(lease / .milliseconds(1))
    watch = RunnerWatch(lease: lease)
    self.patience = patience
    self.opening = opening
    connection = try PostgresConnection(address)
    opening.connected()
    // Held until loading is over, so that of several processes one loads and the others wait.
    try connection.run("SELECT pg_advisory_lock(hashtext($1))", [.text(address.schema)])
    try prepare()
    try register()
  }

  private func register() throws(PostgresFailure) {
    try connection.run(
      "DELETE FROM runners WHERE is_ended AND until < clock_timestamp() - interval '1 day'")
    runner = try connection.run(
      """
      INSERT INTO runners (name, until, serial, is_ended)
      VALUES ($1, clock_timestamp() + $2::bigint * interval '1 millisecond', 0, false) RETURNING id
      """, [.text("process \(getpid())"), .integer(lease)]
    ).integer(0, 0)
  }

  /// Lets other processes open the journal, now that it has its rows.
  func unlock() throws(PostgresFailure) {
    try connection.run("SELECT pg_advisory_unlock_all()")
    isLoading = false
  }

  /// Takes the lock under which a run is loaded; false while somebody else has it.
  func lock() throws(PostgresFailure) -> Bool {
    let taken = try connection.run(
      "SELECT pg_try_advisory_lock(hashtext($1))", [.text(address.schema)])
    isLoading = taken.integer(0, 0) == 1
    return isLoading
  }

  /// Whether rows are being loaded under a lock, which a lost connection would give up.
  private var isLoading = true

  func commit<Value>(
    _ work: () throws(PostgresFailure) -> Value
  ) throws(PostgresFailure) -> Value {
    serial += 1
    var done: Value?
    while true {
      do throws(PostgresFailure) {
        pending = PendingWrites()
        try connection.script("BEGIN")
        // An earlier try that is still under way holds this row until it is over.
        if try !beginCommit() {
          try connection.script("ROLLBACK")
          // Only a try whose work was done can have come so far.
          if let done { return done }
        }
        let value = try work()
        try flushPending()
        done = value
        try connection.script("COMMIT")
        return value
      } catch .lost where !isLoading {
        try reconnect()
      } catch {
        // The locks of a commit that will not be made are for others to have.
        try? connection.script("ROLLBACK")
        throw error
      }
    }
  }

  /// Renews the lease and takes the next serial number; false when an earlier try took it.
  private func beginCommit() throws(PostgresFailure) -> Bool {
    let renewed = try connection.run(
      """
      UPDATE runners SET serial = $2::bigint,
        until = clock_timestamp() + $3::bigint * interval '1 millisecond'
      WHERE id = $1::bigint AND serial = $2::bigint - 1 AND NOT is_ended
      """, [.integer(runner), .integer(serial), .integer(lease)])
    if renewed.changed == 1 { return true }
    let found = try connection.run(
      "SELECT serial FROM runners WHERE id = $1::bigint AND NOT is_ended", [.integer(runner)])
    guard found.count == 1, found.integer(0, 0) == serial else {
      throw .refused(
        BatchProblem(
          .inUse, "others took the rows of this process over, as it gave no sign for too long",
          hint: "run the same command again: it works on what is left"))
    }
    return false
  }

  /// Connects anew, with longer and longer waits, until that is given up.
  private func reconnect() throws(PostgresFailure) {
    connection.close()
    outage.begin(patience)
    defer { outage.end() }
    let start = ContinuousClock.now
    var wait: UInt32 = 50_000
    while true {
      do throws(PostgresFailure) {
        connection = try PostgresConnection(address)
        watch.restart(at: .now)
        return
      } catch .lost(let problem) {
        guard start.duration(to: .now) < patience, !isClosing.load(ordering: .relaxed) else {
          throw .refused(problem)
        }
        usleep(wait)
        wait = min(wait * 2, 2_000_000)
      }
    }
  }

  func problem(_ failure: PostgresFailure) -> BatchProblem {
    opening.failed(failure)
    return failure.problem
  }

  /// Gives the rows of this process back and ends the connection.
  func close() {
    if runner != 0 {
      // When it fails, the lease ends by itself.
      try? connection.script(
        """
        ROLLBACK; UPDATE rows SET owner = NULL WHERE owner = \(runner);
        UPDATE runners SET is_ended = true WHERE id = \(runner)
        """)
      runner = 0
    }
    connection.close()
  }

  func damaged(_ row: RowKey, _ what: String) -> PostgresFailure {
    .refused(
      BatchProblem(
        .unavailable,
        "the journal at \(address.shown) is damaged: \(what) of row \(row.number) of run "
          + "\(row.run) was changed or is broken", hint: "put back a copy of the database"))
  }

  func damaged(_ reason: String) -> PostgresFailure {
    .refused(
      BatchProblem(
        .unavailable, "the journal at \(address.shown) is damaged: \(reason)",
        hint: "put back a copy of the database"))
  }
}
