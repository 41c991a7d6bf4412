/// Which of the other processes are believed to be dead.
///
/// Each process holds a lock of its session, which the server gives up as soon as the connection breaks: that of a
/// killed process at once, that of a machine that is gone much later or never.
struct RunnerWatch {
  /// How long a process may be without its lock, and without a sign, before it is taken for dead.
  let grace: Duration
  /// How often the others are looked at.
  private static let interval = Duration.milliseconds(250)

  /// Since when others have been seen without their lock.
  private var missing: [Int64: ContinuousClock.Instant] = [:]
  private var looked: ContinuousClock.Instant?
  private var since: ContinuousClock.Instant?

  init(lease: Duration) { grace = min(.seconds(5), lease / 3) }

  init(grace: Duration) { self.grace = grace }

  /// Whether it is time to look.
  mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    if let since, since.duration(to: now) < grace { return false }
    if let looked, looked.duration(to: now) < Self.interval { return false }
    looked = now
    return true
  }

  /// Those of the processes without a lock that have been so for long enough.
  mutating func dead(among silent: [Int64], at now: ContinuousClock.Instant) -> [Int64] {
    missing = Dictionary(uniqueKeysWithValues: silent.map { ($0, missing[$0] ?? now) })
    return silent.filter { missing[$0].map { $0.duration(to: now) >= grace } ?? false }
  }

  /// Begins anew, as the server was away for this process: the others need as long as it did to come back.
  mutating func restart(at now: ContinuousClock.Instant) {
    missing = [:]
    since = now
  }
}

extension PostgresTables {
  /// Ends the runners whose lease is over or whose connection is gone, and lets what they had wait again.
  func freeRowsOfTheDead() throws(PostgresFailure) {
    let now = ContinuousClock.now
    guard watch.isDue(at: now) else { return }
    // The lease that a process has left when it has given no sign for long enough.
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
    // Nobody waits for a runner that is just renewing its lease.
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
