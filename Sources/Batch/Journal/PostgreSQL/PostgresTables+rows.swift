import Storage
import System

extension PostgresTables {
  /// Claims pending rows in number order, including rows of dead runners.
  ///
  /// A row is left if another process has a row of one of its accounts, or may still claim an earlier one.
  func claim(_ run: Int64, atMost count: Int) throws(PostgresFailure) -> [ClaimedRow] {
    try flushPending()
    guard try mayClaim(run) else { return [] }
    try freeRowsOfTheDead()
    let (before, last) = RowKey.limits(of: run)
    let claimed = try connection.run(
      """
      WITH picked AS (
        SELECT r.id FROM rows r
        WHERE r.id > $1::bigint AND r.id <= $2::bigint AND r.state = 0 AND r.owner IS NULL
          AND NOT EXISTS (
            SELECT 1 FROM accounts own
            JOIN accounts other ON other.account = own.account AND other.row_id <> own.row_id
              AND other.row_id > $1::bigint AND other.row_id <= $2::bigint
            JOIN rows o ON o.id = other.row_id
            WHERE own.row_id = r.id AND o.state = 0 AND o.owner IS DISTINCT FROM $4::bigint
              AND (o.id < r.id OR o.owner IS NOT NULL))
        ORDER BY r.id LIMIT $3::bigint FOR UPDATE OF r SKIP LOCKED)
      UPDATE rows SET owner = $4::bigint FROM picked WHERE rows.id = picked.id
      RETURNING rows.id, rows.fault_code, rows.fault_message
      """,
      [
        .integer(before.value), .integer(last.value), .integer(Int64(count)), .integer(runner),
      ])
    let keys = try claimed.indices.map { row throws(PostgresFailure) in
      let key = RowKey(claimed.integer(row, 0))
      _ = try fault(claimed, row, 1, RowState.waiting.stored, key)
      return key.value
    }
    guard !keys.isEmpty else { return [] }
    let plans = try connection.run(
      "SELECT id, planned FROM plans WHERE id = ANY ($1::bigint[]) ORDER BY id", [.integers(keys)])
    let steps = try steps(of: keys)
    return try plans.indices.map { row throws(PostgresFailure) in
      let key = RowKey(plans.integer(row, 0))
      return ClaimedRow(
        row: try planned(plans.bytes(row, 1), key), steps: steps[key.value] ?? [])
    }
  }

  func release(_ run: Int64, _ numbers: [Int64]) throws(PostgresFailure) {
    try flushPending()
    try connection.run(
      "UPDATE rows SET owner = NULL WHERE id = ANY ($1::bigint[]) AND owner = $2::bigint",
      [.integers(numbers.map { RowKey(run: run, number: $0).value }), .integer(runner)])
  }

  func reopen(_ run: Int64, _ numbers: [Int64]) throws(PostgresFailure) {
    try flushPending()
    let keys = numbers.map { RowKey(run: run, number: $0) }
    try connection.run(
      """
      UPDATE rows SET state = 0, fault_code = '', fault_message = w.message, owner = NULL
      FROM unnest($1::bigint[], $3::text[]) AS w (id, message)
      WHERE rows.id = w.id AND state = ANY ($2::bigint[])
      """,
      [
        .integers(keys.map(\.value)), Self.failedStates,
        .texts(keys.map { codec.encode(nil, with: RowState.waiting.stored, of: $0).message }),
      ])
  }

  /// The states of rows that can be requeued.
  private static var failedStates: PostgresValue {
    .integers([RowState.failed, .halfDone].map(\.stored))
  }

  func forget(_ run: Int64, row: Int64) throws(PostgresFailure) -> [StepOutcome.Result] {
    try flushPending()
    let key = PostgresValue.integer(RowKey(run: run, number: row).value)
    let removed = try connection.run(
      "DELETE FROM outcomes WHERE row_id = $1::bigint RETURNING result", [key])
    try connection.run("DELETE FROM steps WHERE row_id = $1::bigint", [key])
    return removed.indices.compactMap { StepOutcome.Result(stored: removed.integer($0, 0)) }
  }

  /// Collects an intent for the commit.
  func intend(_ run: Int64, _ intent: StepIntent) throws(PostgresFailure) {
    let key = RowKey(run: run, number: intent.row)
    guard !pending.add(intent, key) else { return }
    try flushPending()
    _ = pending.add(intent, key)
  }

  /// Collects an outcome and a row's end for the commit.
  func settle(
    _ run: Int64, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFailure?
  ) throws(PostgresFailure) {
    if let outcome {
      let key = RowKey(run: run, number: outcome.row)
      if !pending.add(outcome, key) {
        try flushPending()
        _ = pending.add(outcome, key)
      }
    }
    guard let end else { return }
    guard end.stored != RowState.waiting.stored else { return try release(run, [row]) }
    let ending = PendingWrites.End(row: RowKey(run: run, number: row), state: end, fault: fault)
    guard !pending.add(ending) else { return }
    try flushPending()
    _ = pending.add(ending)
  }

  /// The number of unfinished rows.
  func openRows(_ run: Int64) throws(PostgresFailure) -> Int64 {
    try flushPending()
    let (before, last) = RowKey.limits(of: run)
    return try connection.run(
      "SELECT count(*) FROM rows WHERE id > $1::bigint AND id <= $2::bigint AND state = 0",
      [.integer(before.value), .integer(last.value)]
    ).integer(0, 0)
  }

  /// The current counts of a run, over all processes.
  func tally(_ run: Int64) throws(PostgresFailure) -> BatchTally {
    try flushPending()
    var tally = BatchTally()
    let (before, last) = RowKey.limits(of: run)
    let limits: [PostgresValue] = [.integer(before.value), .integer(last.value)]
    let states = try connection.run(
      """
      SELECT state, state = 0 AND owner IS NOT NULL, count(*) FROM rows
      WHERE id > $1::bigint AND id <= $2::bigint GROUP BY 1, 2
      """, limits)
    for row in states.indices {
      tally.rows[try state(states, row, 0)] = states.integer(row, 2)
    }
    let results = try connection.run(
      """
      SELECT result, count(*) FROM outcomes
      WHERE row_id > $1::bigint AND row_id <= $2::bigint GROUP BY 1
      """, limits)
    for row in results.indices {
      guard let result = StepOutcome.Result(stored: results.integer(row, 0)) else {
        throw damaged("a step ended in a way that is not known")
      }
      tally.steps[result] = results.integer(row, 1)
    }
    return tally
  }

  func rows(
    _ run: Int64, _ query: RowQuery, after: Int64?, atMost count: Int
  ) throws(PostgresFailure) -> [RowRecord] {
    try flushPending()
    let states = query.states.isEmpty ? Set(RowState.allCases) : query.states
    let (before, last) = RowKey.limits(of: run)
    let edge = after.map { RowKey(run: run, number: $0).value }
    let limits: [PostgresValue] = [
      .integer(query.isReversed ? before.value : edge ?? before.value),
      .integer(query.isReversed ? edge ?? last.value + 1 : last.value + 1),
      .integers(states.filter { $0 != .claimed }.map(\.stored)),
      .integer(states.contains(.waiting) ? 1 : 0), .integer(states.contains(.claimed) ? 1 : 0),
      .integer(Int64(count)),
    ]
    let found =
      query.isReversed
      ? try connection.run(
        """
        SELECT r.id, r.state, r.state = 0 AND r.owner IS NOT NULL, r.fault_code, r.fault_message,
          p.planned
        FROM rows r JOIN plans p ON p.id = r.id
        WHERE r.id > $1::bigint AND r.id < $2::bigint
          AND (r.state > 0 AND r.state = ANY ($3::bigint[])
            OR r.state = 0 AND r.owner IS NULL AND $4::bigint = 1
            OR r.state = 0 AND r.owner IS NOT NULL AND $5::bigint = 1)
        ORDER BY r.id DESC LIMIT $6::bigint
        """, limits)
      : try connection.run(
        """
        SELECT r.id, r.state, r.state = 0 AND r.owner IS NOT NULL, r.fault_code, r.fault_message,
          p.planned
        FROM rows r JOIN plans p ON p.id = r.id
        WHERE r.id > $1::bigint AND r.id < $2::bigint
          AND (r.state > 0 AND r.state = ANY ($3::bigint[])
            OR r.state = 0 AND r.owner IS NULL AND $4::bigint = 1
            OR r.state = 0 AND r.owner IS NOT NULL AND $5::bigint = 1)
        ORDER BY r.id LIMIT $6::bigint
        """, limits)
    let keys = found.indices.map { found.integer($0, 0) }
    let steps = query.withSteps ? try steps(of: keys) : [:]
    return try found.indices.map { row throws(PostgresFailure) in
      let key = RowKey(found.integer(row, 0))
      return RowRecord(
        row: try planned(found.bytes(row, 5), key), state: try state(found, row, 1),
        fault: try fault(found, row, 3, found.integer(row, 1), key), steps: steps[key.value] ?? [])
    }
  }

  func outcomes(
    _ run: Int64, _ rows: ClosedRange<Int64>
  ) throws(PostgresFailure) -> [StepOutcome] {
    try flushPending()
    let found = try connection.run(
      """
      SELECT row_id, step, result, fault_code, fault_message, settled_at, microseconds, attempts
      FROM outcomes WHERE row_id >= $1::bigint AND row_id <= $2::bigint ORDER BY row_id, step
      """,
      [
        .integer(RowKey(run: run, number: rows.lowerBound).value),
        .integer(RowKey(run: run, number: rows.upperBound).value),
      ])
    return try found.indices.map { row throws(PostgresFailure) in
      let key = RowKey(found.integer(row, 0))
      let step = Int(clamping: found.integer(row, 1))
      guard let result = StepOutcome.Result(stored: found.integer(row, 2)) else {
        throw damaged("a step ended in a way that is not known")
      }
      return StepOutcome(
        row: key.number, step: step, result: result,
        fault: try fault(found, row, 3, result.stored, key, step),
        at: found.integer(row, 5), microseconds: found.integer(row, 6),
        attempts: Int(clamping: found.integer(row, 7)))
    }
  }

  private func steps(of keys: [Int64]) throws(PostgresFailure) -> [Int64: [StepRecord]] {
    let rows = try connection.run(
      """
      SELECT s.row_id, s.step, s.change, s.before, s.intended_at,
        o.result, o.fault_code, o.fault_message, o.settled_at, o.microseconds, o.attempts
      FROM steps s LEFT JOIN outcomes o ON o.row_id = s.row_id AND o.step = s.step
      WHERE s.row_id = ANY ($1::bigint[]) ORDER BY s.row_id, s.step
      """, [.integers(keys)])
    var steps: [Int64: [StepRecord]] = [:]
    for row in rows.indices {
      let key = RowKey(rows.integer(row, 0))
      let step = Int(clamping: rows.integer(row, 1))
      guard let json = codec.decode(rows.bytes(row, 2), .change, of: key, step: step),
        let change = try? Change(json: json)
      else { throw damaged(key, "step \(step)") }
      var before: JSON?
      if !rows.isNull(row, 3) {
        before = codec.decode(rows.bytes(row, 3), .before, of: key, step: step)
        guard before != nil else { throw damaged(key, "the account before step \(step)") }
      }
      let outcome = try StepOutcome.Result(stored: rows.integer(row, 5)).map {
        result throws(PostgresFailure) in
        StepOutcome(
          row: key.number, step: step, result: result,
          fault: try fault(rows, row, 6, result.stored, key, step),
          at: rows.integer(row, 8), microseconds: rows.integer(row, 9),
          attempts: Int(clamping: rows.integer(row, 10)))
      }
      steps[key.value, default: []].append(
        StepRecord(
          intent: StepIntent(
            row: key.number, step: step, change: change, before: before, at: rows.integer(row, 4)),
          outcome: outcome))
    }
    return steps
  }

  private func state(
    _ rows: PostgresRows, _ row: Int32, _ column: Int32
  ) throws(PostgresFailure) -> RowState {
    if rows.integer(row, column + 1) == 1 { return .claimed }
    guard let state = RowState(stored: rows.integer(row, column)) else {
      throw damaged("a row is in a state that is not known")
    }
    return state
  }

  /// The error in two columns.
  ///
  /// - Parameter state: The state or result in the same record.
  /// - Throws: If one of the three was changed.
  private func fault(
    _ rows: PostgresRows, _ row: Int32, _ column: Int32, _ state: Int64, _ key: RowKey,
    _ step: Int = 0
  ) throws(PostgresFailure) -> RowFailure? {
    do throws(JournalCodec.Damage) {
      return try codec.decode(
        code: rows.text(row, column), message: rows.text(row, column + 1), with: state, of: key,
        step: step)
    } catch {
      throw damaged(key, step == 0 ? "the state" : "the outcome of step \(step)")
    }
  }

  private func planned(_ bytes: [UInt8], _ key: RowKey) throws(PostgresFailure) -> PlannedRow {
    guard let json = codec.decode(bytes, .planned, of: key), let row = try? PlannedRow(json: json)
    else { throw damaged(key, "the plan") }
    return row
  }
}
