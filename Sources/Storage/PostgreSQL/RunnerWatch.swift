internal import HTTP

/// When this process last renewed its lease, by a clock that also counts suspended time.
///
/// Other processes take its rows over when they have seen no renewal for a whole lease. After half of it, this process
/// renews first, and makes a call only if the rows are still its own.
package final class LeaseClock: Sendable {
  private let half: Duration
  private let renewed: Guarded<ContinuousClock.Instant>

  package init(lease: Duration) {
    half = lease / 2
    renewed = Guarded(.now)
  }

  /// Records a renewal that the server has confirmed, and that began at this time.
  package func renew(at began: ContinuousClock.Instant) {
    renewed.withLock { $0 = max($0, began) }
  }

  package var isFresh: Bool { renewed.withLock { $0.duration(to: .now) < half } }

  /// Lets the lease look old, for tests.
  package func expire() { renewed.withLock { $0 = $0.advanced(by: half * -10) } }
}

/// Detects dead processes among the runners.
///
/// A process is dead if it has not renewed its lease for the time of a lease, by the clock of the process that watches
/// it: the clock of the server may be set. Each process also holds a session-level advisory lock, which the server
/// releases when the connection breaks: at once for a killed process, but much later or never for a machine that is
/// gone.
package struct RunnerWatch: Sendable {
  /// A runner as the server shows it.
  package struct Sight: Sendable {
    package let id: Int64
    /// Differs after each renewal of the lease.
    package let sign: String
    /// Whether it holds its lock.
    package let isLocked: Bool

    package init(id: Int64, sign: String, isLocked: Bool) {
      (self.id, self.sign, self.isLocked) = (id, sign, isLocked)
    }
  }

  private struct Record: Sendable {
    var sign: String
    var since: ContinuousClock.Instant
    /// When it was first seen without its lock.
    var unlocked: ContinuousClock.Instant?
  }

  /// How long a process may be without its lock and without renewing its lease before it counts as dead.
  package let grace: Duration
  /// How long a process may hold its lock without renewing its lease.
  package let lease: Duration
  /// How often to check the other runners.
  private static let interval = Duration.milliseconds(250)

  private var records: [Int64: Record] = [:]
  private var looked: ContinuousClock.Instant?
  private var since: ContinuousClock.Instant?

  package init(lease: Duration) { self.init(lease: lease, grace: min(.seconds(5), lease / 3)) }

  package init(lease: Duration, grace: Duration) {
    self.lease = lease
    self.grace = grace
  }

  /// Whether a check is due.
  package mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    if let since, since.duration(to: now) < grace { return false }
    if let looked, looked.duration(to: now) < Self.interval { return false }
    looked = now
    return true
  }

  /// The runners that are dead.
  package mutating func dead(among seen: [Sight], at now: ContinuousClock.Instant) -> [Sight] {
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
  package mutating func restart(at now: ContinuousClock.Instant) {
    records = [:]
    since = now
  }
}

extension RunnerWatch {
  /// The table of runners: who they are, and the lease of each.
  package static let table = """
    CREATE TABLE runners (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL,
      until timestamptz NOT NULL, serial bigint NOT NULL, is_ended boolean NOT NULL);
    """

  /// The ids of the runners that hold their lock.
  package static func locked(
    in schema: String, on connection: PostgresConnection
  ) throws(PostgresFailure) -> Set<Int64> {
    let found = try connection.run(
      """
      SELECT objid::bigint FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = hashtext($1)::oid
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """, [.text(schema)])
    return Set(found.indices.map { found.integer($0, 0) })
  }

  /// Adds a runner and returns its id.
  ///
  /// - Parameter lease: Milliseconds.
  package static func register(
    _ name: String, lease: Int64, on connection: PostgresConnection
  ) throws(PostgresFailure) -> Int64 {
    try connection.run(
      """
      INSERT INTO runners (name, until, serial, is_ended)
      VALUES ($1, clock_timestamp() + $2::bigint * interval '1 millisecond', 0, false) RETURNING id
      """, [.text(name), .integer(lease)]
    ).integer(0, 0)
  }

  /// Ends the runners that are dead, if a check is due, and returns their ids.
  ///
  /// - Parameter own: The runner of this process.
  package mutating func endDead(
    in schema: String, except own: Int64, on connection: PostgresConnection
  ) throws(PostgresFailure) -> [Int64] {
    let now = ContinuousClock.now
    guard isDue(at: now) else { return [] }
    // `until` is the server's time, and only whether it has changed counts.
    let found = try connection.run(
      """
      SELECT id, serial || ' ' || extract(epoch FROM until)
      FROM runners WHERE NOT is_ended AND id <> $1::bigint
      """, [.integer(own)])
    let locked = try Self.locked(in: schema, on: connection)
    let seen = found.indices.map { row in
      let id = found.integer(row, 0)
      return Sight(id: id, sign: found.text(row, 1), isLocked: locked.contains(id))
    }
    let dead = dead(among: seen, at: now)
    guard !dead.isEmpty else { return [] }
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
    return ended.indices.map { ended.integer($0, 0) }
  }
}
