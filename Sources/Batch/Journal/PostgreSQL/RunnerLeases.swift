import Storage

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
    let ended = try watch.endDead(in: address.schema, except: runner, on: connection)
    guard !ended.isEmpty else { return }
    try connection.run(
      "UPDATE rows SET owner = NULL WHERE owner = ANY ($1::bigint[])", [.integers(ended)])
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
      SELECT r.name, r.id FROM runners r WHERE r.id <> $3::bigint AND r.id IN (
        SELECT owner FROM rows WHERE id > $1::bigint AND id <= $2::bigint AND owner IS NOT NULL)
      """, [.integer(before.value), .integer(last.value), .integer(runner)])
    let locked = try RunnerWatch.locked(in: address.schema, on: connection)
    let alive = owners.indices.filter { locked.contains(owners.integer($0, 1)) }
      .map { owners.text($0, 0) }
    guard alive.isEmpty else {
      throw .refused(
        QueueProblem(
          .inUse, "run \(run) is under way: \(alive.joined(separator: ", ")) has rows of it",
          hint:
            "luath batch ctl PLAN drain with the same --queue ends it; then the same command works")
      )
    }
    return owners.count == 0
  }
}
