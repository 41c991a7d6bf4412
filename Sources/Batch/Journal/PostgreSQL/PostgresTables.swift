import Glibc
import Storage
import Synchronization

/// A journal's tables in a PostgreSQL database that many processes share.
///
/// Each process is a runner with a lease that every commit renews. Claimed rows belong to a runner; when its lease
/// expires, they become pending again. Each commit increments the runner's serial number, which shows after a lost
/// connection whether the last commit succeeded.
// Sendable, because only the thread of its `JournalQueue` calls its functions.
final class PostgresTables: JournalTables, @unchecked Sendable {
  let address: PostgresAddress
  private(set) var connection: PostgresConnection
  /// The codec; set before its key is verified, but used only afterwards.
  var codec = JournalCodec(key: nil)
  /// The id of this process in `runners`; 0 until it is registered.
  private(set) var runner: Int64 = 0
  /// How long this process counts as alive without renewing its lease, in milliseconds.
  let lease: Int64
  /// When this process last renewed its lease; for all threads.
  let leaseClock: LeaseClock
  private var serial: Int64 = 0
  /// The number of the last run that this process has read.
  var lastKnown: Int64 = 0
  /// How long to wait for a lost server.
  private let patience: Duration
  private let opening: PostgresOpening
  var pending = PendingWrites()
  /// The undo of the run that rows were last claimed of.
  var undo: BatchRun?
  var watch: RunnerWatch
  /// The current outage, for other threads.
  let outage = OutageWatch()
  /// Set by other threads to stop waiting for a lost server.
  let isClosing = Atomic(false)

  init(
    _ address: PostgresAddress, lease: Duration, patience: Duration, opening: PostgresOpening
  ) throws(PostgresFailure) {
    self.address = address
    self.lease = Int64(lease / .milliseconds(1))
    leaseClock = LeaseClock(lease: lease)
    watch = RunnerWatch(lease: lease)
    self.patience = patience
    self.opening = opening
    connection = try PostgresConnection(address)
    opening.connected()
    // Held until loading ends, so that one process loads the rows and the others wait.
    let start = ContinuousClock.now
    while try !lock() {
      usleep(100_000)
      if start.duration(to: .now) > .seconds(5) {
        opening.announce(
          "\(try loader()) has been loading the journal at \(address.shown); waiting for it")
      }
    }
    try Self.schema.prepare(address, on: connection)
    try register()
  }

  private func register() throws(PostgresFailure) {
    try connection.run(
      "DELETE FROM runners WHERE is_ended AND until < clock_timestamp() - interval '1 day'")
    runner = try RunnerWatch.register("process \(getpid())", lease: lease, on: connection)
  }

  /// Releases the loading lock, so that other processes can open the journal.
  func unlock() throws(PostgresFailure) {
    try connection.run("SELECT pg_advisory_unlock_all()")
    isLoading = false
  }

  /// The process that has the lock for loading, for users.
  private func loader() throws(PostgresFailure) -> String {
    let found = try connection.run(
      """
      SELECT a.pid::text, coalesce(host(a.client_addr), 'this machine'), to_char(a.backend_start, 'HH24:MI:SS')
      FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
        AND l.objid::bigint = hashtext($1)::oid::bigint
      """, [.text(address.schema)])
    guard found.count > 0 else { return "another process" }
    return
      "the process of backend \(found.text(0, 0)), connected from \(found.text(0, 1)) at \(found.text(0, 2)),"
  }

  /// Tries to take the lock for loading a run; false while another process has it.
  func lock() throws(PostgresFailure) -> Bool {
    let taken = try connection.run(
      "SELECT pg_try_advisory_lock(hashtext($1))", [.text(address.schema)])
    isLoading = taken.integer(0, 0) == 1
    return isLoading
  }

  /// Whether this process loads rows under the lock, which a lost connection would release.
  private var isLoading = true

  func commit<Value>(
    _ work: () throws(PostgresFailure) -> Value
  ) throws(PostgresFailure) -> Value {
    serial += 1
    var done: Value?
    while true {
      do throws(PostgresFailure) {
        pending = PendingWrites()
        let began = ContinuousClock.now
        try connection.script("BEGIN")
        // If an earlier try is still in progress on the server, this waits for it, because it has the row locked.
        if try !beginCommit() {
          try connection.script("ROLLBACK")
          // The serial number can be taken only if the earlier try's work was done.
          if let done { return done }
        }
        let value = try work()
        try flushPending()
        done = value
        try connection.script("COMMIT")
        leaseClock.renew(at: began)
        return value
      } catch .lost where !isLoading {
        try reconnect()
      } catch {
        // Release the locks of the failed transaction.
        try? connection.script("ROLLBACK")
        throw error
      }
    }
  }

  /// Renews the lease and takes the next serial number; false if an earlier try already took it.
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
        QueueProblem(
          .inUse, "others took the rows of this process over, as it gave no sign for too long",
          hint: "run the same command again: it works on what is left"))
    }
    return false
  }

  /// Reconnects, with increasing waits, until the time limit is reached.
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
    return BatchProblem(failure.problem)
  }

  /// Releases this process's rows and closes the connection.
  func close() {
    if runner != 0 {
      // If this fails, the lease expires by itself.
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
      QueueProblem(
        .unavailable,
        "the journal at \(address.shown) is damaged: \(what) of row \(row.number) of run "
          + "\(row.run) was changed or is broken", hint: "put back a copy of the database"))
  }

  func damaged(_ reason: String) -> PostgresFailure {
    .refused(
      QueueProblem(
        .unavailable, "the journal at \(address.shown) is damaged: \(reason)",
        hint: "put back a copy of the database"))
  }
}

extension PostgresTables {
  /// The tables of a journal.
  static let schema = QueueSchema(mark: "rows", versions: [firstVersion, secondVersion])

  /// The tables: those of the SQLite journal, plus row owners, runners, and the shared rate limit.
  private static let firstVersion =
    """
    CREATE TABLE meta (name text PRIMARY KEY, value bytea NOT NULL);
    CREATE TABLE runs (
      number bigint PRIMARY KEY, kind text NOT NULL, of_run bigint, is_loaded boolean NOT NULL);
    CREATE TABLE plans (id bigint PRIMARY KEY, planned bytea NOT NULL);
    CREATE TABLE rows (
      id bigint PRIMARY KEY, state bigint NOT NULL, fault_code text NOT NULL,
      fault_message text NOT NULL, owner bigint);
    CREATE INDEX rows_waiting ON rows (id) WHERE state = 0 AND owner IS NULL;
    CREATE INDEX rows_owned ON rows (owner) WHERE owner IS NOT NULL;
    CREATE TABLE steps (
      row_id bigint NOT NULL, step bigint NOT NULL, change bytea NOT NULL, before bytea,
      intended_at bigint NOT NULL, PRIMARY KEY (row_id, step));
    CREATE TABLE outcomes (
      row_id bigint NOT NULL, step bigint NOT NULL, result bigint NOT NULL,
      fault_code text NOT NULL, fault_message text NOT NULL, settled_at bigint NOT NULL,
      microseconds bigint NOT NULL, attempts bigint NOT NULL, PRIMARY KEY (row_id, step));
    CREATE TABLE budget (
      id bigint PRIMARY KEY, rate double precision, tokens double precision NOT NULL,
      filled timestamptz NOT NULL, is_paused boolean NOT NULL);
    INSERT INTO budget VALUES (1, NULL, 1, clock_timestamp(), false);
    CREATE TABLE luath_schema (version bigint PRIMARY KEY);
    INSERT INTO luath_schema VALUES (1);
    """ + RunnerWatch.table

  /// The accounts that several rows of a run name, which one process at a time works on, and who works on the runs; came
  /// with version 2.
  private static let secondVersion = """
    CREATE TABLE accounts (row_id bigint NOT NULL, account bigint NOT NULL, PRIMARY KEY (row_id, account));
    CREATE INDEX accounts_rows ON accounts (account, row_id);
    CREATE TABLE sessions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run bigint NOT NULL,
      begun_at bigint NOT NULL, data bytea NOT NULL);
    INSERT INTO luath_schema VALUES (2);
    """
}
