import HTTP
import System

/// When this process last renewed its lease, by a clock that also counts suspended time.
///
/// Other processes take its rows over when they have seen no renewal for a whole lease. After half of it, this process
/// renews first, and makes a call only if the rows are still its own.
final class LeaseClock: Sendable {
  private let half: Duration
  private let renewed: Guarded<ContinuousClock.Instant>

  init(lease: Duration) {
    half = lease / 2
    renewed = Guarded(.now)
  }

  /// Records a renewal that the server has confirmed, and that began at this time.
  func renew(at began: ContinuousClock.Instant) {
    renewed.withLock { $0 = max($0, began) }
  }

  var isFresh: Bool { renewed.withLock { $0.duration(to: .now) < half } }

  /// Lets the lease look old, for tests.
  func expire() { renewed.withLock { $0 = $0.advanced(by: half * -10) } }
}

/// Detects dead processes among the runners.
///
/// A process is dead if it has not renewed its lease for the time of a lease, by the clock of the process that watches
/// it: the clock of the server may be set. Each process also holds a session-level advisory lock, which the server
/// releases when the connection breaks: at once for a killed process, but much later or never for a machine that is
/// gone.
struct RunnerWatch {
  /// A runner as the server shows it.
  struct Sight {
    let id: Int64
    /// Differs after each renewal of the lease.
    let sign: String
    /// Whether it holds its lock.
    let isLocked: Bool
  }

  private struct Record {
    var sign: String
    var since: ContinuousClock.Instant
    /// When it was first seen without its lock.
    var unlocked: ContinuousClock.Instant?
  }

  /// How long a process may be without its lock and without renewing its lease before it counts as dead.
  let grace: Duration
  /// How long a process may hold its lock without renewing its lease.
  let lease: Duration
  /// How often to check the other runners.
  private static let interval = Duration.milliseconds(250)

  private var records: [Int64: Record] = [:]
  private var looked: ContinuousClock.Instant?
  private var since: ContinuousClock.Instant?

  init(lease: Duration) { self.init(lease: lease, grace: min(.seconds(5), lease / 3)) }

  init(lease: Duration, grace: Duration) {
    self.lease = lease
    self.grace = grace
  }

  /// Whether a check is due.
  mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    if let since, since.duration(to: now) < grace { return false }
    if let looked, looked.duration(to: now) < Self.interval { return false }
    looked = now
    return true
  }

  /// The runners that are dead.
  mutating func dead(among seen: [Sight], at now: ContinuousClock.Instant) -> [Sight] {
    var next: [Int64: Record] = [:]
    for sight in seen {
      var record = Record(sign: sight.sign, since: now)
      if let known = records[sight.id], known.sign == sight.sign { record = known }
      record.unlocked = sight.isLocked ? nil : record.unlocked ?? now
      next[sight.id] = record
    }
    records = next
    return seen.filter { sight in
      guard let record = records[sight.id] else { return false }
      if record.since.duration(to: now) >= lease { return true }
      return record.unlocked.map { max($0, record.since).duration(to: now) >= grace } ?? false
    }
  }

  /// Restarts the detection after this process lost the server, because the other runners lost it too and need time.
  mutating func restart(at now: ContinuousClock.Instant) {
    records = [:]
    since = now
  }
}

/// A process that has claimed rows of a shared run.
struct RowHolder: Sendable, Equatable {
  /// The process and its machine.
  let name: String
  /// The time of day (UTC) at which its lease ends, unless it renews it.
  let until: String
  let rows: Int64
}

extension PostgresTables {
  /// Ends runners whose lease expired or whose connection is gone, and releases their rows.
  func freeRowsOfTheDead() throws(PostgresFailure) {
    let now = ContinuousClock.now
    guard watch.isDue(at: now) else { return }
    // `until` is the server's time, and only whether it has changed counts.
    let found = try connection.run(
      """
      SELECT id, serial || ' ' || extract(epoch FROM until), id IN (
        SELECT objid::bigint FROM pg_locks
        WHERE locktype = 'advisory' AND granted AND objsubid = 2
          AND classid = hashtext($2)::oid
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
      FROM runners WHERE NOT is_ended AND id <> $1::bigint
      """, [.integer(runner), .text(address.schema)])
    let seen = found.indices.map { row in
      RunnerWatch.Sight(
        id: found.integer(row, 0), sign: found.text(row, 1), isLocked: found.integer(row, 2) == 1)
    }
    let dead = watch.dead(among: seen, at: now)
    guard !dead.isEmpty else { return }
    // SKIP LOCKED, so that this does not wait for a runner that is renewing its lease.
    let ended = try connection.run(
      """
      UPDATE runners SET is_ended = true WHERE id IN (
        SELECT r.id FROM runners r
        JOIN unnest($1::bigint[], $2::text[]) AS dead (id, sign) ON r.id = dead.id
        WHERE NOT r.is_ended AND r.serial || ' ' || extract(epoch FROM r.until) = dead.sign
        FOR UPDATE OF r SKIP LOCKED)
      RETURNING id
      """, [.integers(dead.map(\.id)), .texts(dead.map(\.sign))])
    guard ended.count > 0 else { return }
    try connection.run(
      "UPDATE rows SET owner = NULL WHERE owner = ANY ($1::bigint[])",
      [.integers(ended.indices.map { ended.integer($0, 0) })])
  }
}

extension PostgresTables {
  /// Whether rows of a run may be claimed: not while another process makes an undo of it.
  ///
  /// Nor when it is undone, because the undo would not cover further changes; then `undo` is that run.
  func mayClaim(_ run: Int64) throws(PostgresFailure) -> Bool {
    // A run is added under a lock that excludes this one, so every claim comes before the undo or sees it.
    try connection.script("LOCK TABLE runs IN ROW SHARE MODE")
    let loading = try connection.run(
      "SELECT count(*) FROM runs WHERE of_run = $1::bigint AND kind LIKE 'undo%' AND NOT is_loaded",
      [.integer(run)])
    guard loading.integer(0, 0) == 0 else {
      // The process that began the undo is dead if nobody has the lock for loading. The next claim finds the rows.
      if try lock() {
        try removeUnloaded()
        try unlock()
      }
      return false
    }
    let known = lastKnown
    defer { lastKnown = known }
    let runs = try runs()
    undo = runs.first { $0.number == run }.flatMap { runs.undo(of: $0) }
    return undo == nil
  }

  /// The processes that have claimed rows of a run, with the end of their lease.
  func holders(of run: Int64) throws(PostgresFailure) -> [RowHolder] {
    let (before, last) = RowKey.limits(of: run)
    let found = try connection.run(
      """
      SELECT r.name, to_char(r.until AT TIME ZONE 'UTC', 'HH24:MI:SS'), count(*)
      FROM rows JOIN runners r ON r.id = rows.owner
      WHERE rows.id > $1::bigint AND rows.id <= $2::bigint AND rows.state = 0
      GROUP BY r.id, r.name, r.until ORDER BY r.id
      """, [.integer(before.value), .integer(last.value)])
    return found.indices.map {
      RowHolder(name: found.text($0, 0), until: found.text($0, 1), rows: found.integer($0, 2))
    }
  }

  /// Whether no process has rows of a run; false while one has that is dead, or may be.
  ///
  /// - Throws: If a process works on the run.
  func isIdle(_ run: Int64) throws(PostgresFailure) -> Bool {
    try freeRowsOfTheDead()
    let (before, last) = RowKey.limits(of: run)
    let owners = try connection.run(
      """
      SELECT r.name, r.id IN (
        SELECT objid::bigint FROM pg_locks
        WHERE locktype = 'advisory' AND granted AND objsubid = 2
          AND classid = hashtext($3)::oid
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
      FROM runners r WHERE r.id <> $4::bigint AND r.id IN (
        SELECT owner FROM rows WHERE id > $1::bigint AND id <= $2::bigint AND owner IS NOT NULL)
      """,
      [.integer(before.value), .integer(last.value), .text(address.schema), .integer(runner)])
    let alive = owners.indices.filter { owners.integer($0, 1) == 1 }.map { owners.text($0, 0) }
    guard alive.isEmpty else {
      throw .refused(
        BatchProblem(
          .inUse, "run \(run) is under way: \(alive.joined(separator: ", ")) has rows of it",
          hint:
            "luath batch ctl PLAN drain with the same --queue ends it; then the same command works")
      )
    }
    return owners.count == 0
  }
}
