/// Detects dead processes among the runners.
///
/// Each process holds a session-level advisory lock, which the server releases when the connection breaks: at once
/// for a killed process, but much later or never for a machine that is gone.
struct RunnerWatch {
  /// How long a process may be without its lock and without renewing its lease before it counts as dead.
  let grace: Duration
  /// How often to check the other runners.
  private static let interval = Duration.milliseconds(250)

  /// When each runner was first seen without its lock.
  private var missing: [Int64: ContinuousClock.Instant] = [:]
  private var looked: ContinuousClock.Instant?
  private var since: ContinuousClock.Instant?

  init(lease: Duration) { grace = min(.seconds(5), lease / 3) }

  init(grace: Duration) { self.grace = grace }

  /// Whether a check is due.
  mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    if let since, since.duration(to: now) < grace { return false }
    if let looked, looked.duration(to: now) < Self.interval { return false }
    looked = now
    return true
  }

  /// The runners that have been without a lock for at least `grace`.
  mutating func dead(among silent: [Int64], at now: ContinuousClock.Instant) -> [Int64] {
    missing = Dictionary(uniqueKeysWithValues: silent.map { ($0, missing[$0] ?? now) })
    return silent.filter { missing[$0].map { $0.duration(to: now) >= grace } ?? false }
  }

  /// Restarts the detection after this process lost the server, because the other runners lost it too and need time.
  mutating func restart(at now: ContinuousClock.Instant) {
    missing = [:]
    since = now
  }
}

extension PostgresTables {
  /// Ends runners whose lease expired or whose connection is gone, and releases their rows.
  func freeRowsOfTheDead() throws(PostgresFailure) {
    let now = ContinuousClock.now
    guard watch.isDue(at: now) else { return }
    // The remaining lease of a runner that has not renewed it for the grace time.
    let rest = lease - Int64(watch.grace / .milliseconds(1))
    let silent = try connection.run(
      """
      SELECT id FROM runners
      WHERE NOT is_ended AND id <> $1::bigint
        AND until < clock_timestamp() + $2::bigint * interval '1 millisecond'
        AND id NOT IN (
          SELECT objid::bigint FROM pg_locks
          WHERE locktype = 'advisory' AND granted AND objsubid = 2
            AND classid = hashtext($3)::oid
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
      """, [.integer(runner), .integer(rest), .text(address.schema)])
    let dead = watch.dead(
      among: silent.indices.map { silent.integer($0, 0) }, at: now)
    // SKIP LOCKED, so that this does not wait for a runner that is renewing its lease.
    let ended = try connection.run(
      """
      UPDATE runners SET is_ended = true WHERE id IN (
        SELECT id FROM runners WHERE NOT is_ended AND (until < clock_timestamp()
          OR id = ANY ($1::bigint[])
            AND until < clock_timestamp() + $2::bigint * interval '1 millisecond')
        FOR UPDATE SKIP LOCKED)
      RETURNING id
      """, [.integers(dead), .integer(rest)])
    guard ended.count > 0 else { return }
    try connection.run(
      "UPDATE rows SET owner = NULL WHERE owner = ANY ($1::bigint[])",
      [.integers(ended.indices.map { ended.integer($0, 0) })])
  }
}
