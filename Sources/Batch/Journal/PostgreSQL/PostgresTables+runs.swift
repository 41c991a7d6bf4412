import Storage
import System

extension PostgresTables {
  /// The plan and key that the journal was made for; nil if it is new or its loading did not end.
  func meta() throws(PostgresFailure) -> JournalMeta? {
    let loaded = try connection.run("SELECT count(*) FROM runs WHERE number = 1 AND is_loaded")
    guard loaded.integer(0, 0) == 1 else { return nil }
    var values: [String: [UInt8]] = [:]
    let rows = try connection.run("SELECT name, value FROM meta")
    for row in rows.indices { values[rows.text(row, 0)] = rows.bytes(row, 1) }
    guard let text = values["header"], let json = try? JSON.parse(text),
      let header = try? PlanHeader(json: json), let digest = values["digest"]
    else { throw damaged("it does not name its plan") }
    return JournalMeta(
      header: header, digest: String(decoding: digest, as: UTF8.self), keyCheck: values["key"])
  }

  /// Empties the journal and assigns it to a plan whose rows will follow.
  func begin(_ meta: JournalMeta) throws(PostgresFailure) {
    try connection.run("TRUNCATE plans, rows, steps, outcomes, runs, meta, accounts, sessions")
    try put("header", meta.header.json.encodedBytes())
    try put("digest", Array(meta.digest.utf8))
    if let check = meta.keyCheck { try put("key", check) }
  }

  private func put(_ name: String, _ value: [UInt8]) throws(PostgresFailure) {
    try connection.run("INSERT INTO meta VALUES ($1, $2)", [.text(name), .bytes(value)])
  }

  func runs() throws(PostgresFailure) -> [BatchRun] {
    try flushPending()
    let rows = try connection.run(
      // The states 1 to 5 are those of `RowState.stored`; the results 1 and 2 are `done` and `reconciled`.
      """
      SELECT number, kind, of_run, kind LIKE 'undo%'
        AND NOT EXISTS (
          SELECT 1 FROM rows WHERE id > number << 40 AND id < (number + 1) << 40 AND state <> 2)
        AND NOT EXISTS (
          SELECT 1 FROM outcomes
          WHERE row_id > number << 40 AND row_id < (number + 1) << 40 AND result IN (1, 2))
      FROM runs WHERE is_loaded ORDER BY number
      """)
    let runs = try rows.indices.map { row throws(PostgresFailure) in
      guard let kind = BatchRun.Kind(rawValue: rows.text(row, 1)) else {
        throw damaged("a run is of an unknown kind")
      }
      return BatchRun(
        number: rows.integer(row, 0), kind: kind,
        of: rows.isNull(row, 2) ? nil : rows.integer(row, 2), isVoid: rows.integer(row, 3) == 1)
    }
    lastKnown = runs.last?.number ?? 0
    return runs
  }

  func record(_ session: BatchSession) throws(PostgresFailure) {
    try flushPending()
    let key = RowKey(run: session.run, number: 0)
    try connection.run(
      "INSERT INTO sessions (run, begun_at, data) VALUES ($1::bigint, $2::bigint, $3)",
      [
        .integer(session.run), .integer(session.at),
        .bytes(codec.encode(session.json, .session, of: key)),
      ])
  }

  func sessions() throws(PostgresFailure) -> [BatchSession] {
    try flushPending()
    let rows = try connection.run("SELECT run, begun_at, data FROM sessions ORDER BY id")
    return try rows.indices.map { row throws(PostgresFailure) in
      let run = rows.integer(row, 0)
      let json = codec.decode(rows.bytes(row, 2), .session, of: RowKey(run: run, number: 0))
      let session = json.flatMap { BatchSession(json: $0, run: run, at: rows.integer(row, 1)) }
      guard let session else { throw damaged("it does not name the process that worked on it") }
      return session
    }
  }

  /// The same run, if another process has loaded it since this process last read the runs.
  func runOfOthers(_ kind: BatchRun.Kind, of: Int64?) throws(PostgresFailure) -> BatchRun? {
    let known = lastKnown
    return try runs().first { $0.number > known && $0.kind == kind && $0.of == of }
  }

  /// Removes the runs whose loading process died; the caller must hold the loading lock.
  func removeUnloaded() throws(PostgresFailure) {
    let found = try connection.run("SELECT number FROM runs WHERE NOT is_loaded AND number > 1")
    for row in found.indices { try remove(found.integer(row, 0)) }
  }

  func beginRun(_ kind: BatchRun.Kind, of: Int64?) throws(PostgresFailure) -> BatchRun {
    try connection.run("LOCK TABLE runs IN EXCLUSIVE MODE")
    let number = try connection.run(
      """
      INSERT INTO runs SELECT coalesce(max(number), 0) + 1, $1, nullif($2::bigint, 0), false
      FROM runs RETURNING number
      """, [.text(kind.rawValue), .integer(of ?? 0)]
    ).integer(0, 0)
    return BatchRun(number: number, kind: kind, of: of)
  }

  func insert(_ planned: [PlannedRow], into run: Int64) throws(PostgresFailure) {
    guard !planned.isEmpty else { return }
    let keys = planned.map { RowKey(run: run, number: $0.number) }
    try connection.run(
      """
      INSERT INTO plans SELECT * FROM unnest($1::bigint[], $2::bytea[]) ON CONFLICT DO NOTHING
      """,
      [
        .integers(keys.map(\.value)),
        .blobs(zip(planned, keys).map { codec.encode($0.json, .planned, of: $1) }),
      ])
    let shares = zip(planned, keys).flatMap { row, key in
      row.sharedAccounts.map { (key.value, Int64(bitPattern: $0)) }
    }
    if !shares.isEmpty {
      try connection.run(
        "INSERT INTO accounts SELECT * FROM unnest($1::bigint[], $2::bigint[]) ON CONFLICT DO NOTHING",
        [.integers(shares.map(\.0)), .integers(shares.map(\.1))])
    }
    var states: [Int64] = []
    var faults: [(code: String, message: String)] = []
    for (row, key) in zip(planned, keys) {
      var state = RowState.waiting
      var fault: RowFailure?
      switch row.decision {
      case .run: break
      case .skip: state = .skipped
      case .refuse(let why): (state, fault) = (.refused, why)
      }
      states.append(state.stored)
      faults.append(codec.encode(fault, with: state.stored, of: key))
    }
    try connection.run(
      """
      INSERT INTO rows
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING
      """,
      [
        .integers(keys.map(\.value)), .integers(states), .texts(faults.map(\.code)),
        .texts(faults.map(\.message)),
      ])
  }

  func endLoading(_ run: Int64, count: Int64) throws(PostgresFailure) -> Bool {
    let (before, last) = RowKey.limits(of: run)
    let found = try connection.run(
      "SELECT count(*) FROM rows WHERE id > $1::bigint AND id <= $2::bigint",
      [.integer(before.value), .integer(last.value)])
    guard found.integer(0, 0) == count else { return false }
    // Most accounts are in one row, which needs no look at others.
    try connection.run(
      """
      DELETE FROM accounts WHERE row_id > $1::bigint AND row_id <= $2::bigint AND account IN (
        SELECT account FROM accounts WHERE row_id > $1::bigint AND row_id <= $2::bigint
        GROUP BY account HAVING count(*) = 1)
      """, [.integer(before.value), .integer(last.value)])
    try connection.run("ANALYZE accounts")
    try connection.run(
      "UPDATE runs SET is_loaded = true WHERE number = $1::bigint", [.integer(run)])
    return true
  }

  func remove(_ run: Int64) throws(PostgresFailure) {
    let (before, last) = RowKey.limits(of: run)
    let limits: [PostgresValue] = [.integer(before.value), .integer(last.value)]
    try connection.run("DELETE FROM plans WHERE id > $1::bigint AND id <= $2::bigint", limits)
    try connection.run("DELETE FROM rows WHERE id > $1::bigint AND id <= $2::bigint", limits)
    try connection.run(
      "DELETE FROM accounts WHERE row_id > $1::bigint AND row_id <= $2::bigint", limits)
    try connection.run("DELETE FROM runs WHERE number = $1::bigint", [.integer(run)])
  }
}
