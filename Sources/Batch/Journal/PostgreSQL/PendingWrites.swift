import Storage

/// Collects intents, outcomes and row ends, to write each table with one statement.
struct PendingWrites {
  private struct Place: Hashable {
    let row: Int64
    let step: Int
  }

  struct End {
    let row: RowKey
    let state: RowState
    let fault: RowFailure?
  }

  private(set) var intents: [(row: RowKey, intent: StepIntent)] = []
  private(set) var outcomes: [(row: RowKey, outcome: StepOutcome)] = []
  private(set) var ends: [End] = []
  // One statement cannot write a row twice, and an intent and an outcome of one step must be written in order.
  private var steps: Set<Place> = []
  private var rows: Set<Int64> = []

  var isEmpty: Bool { intents.isEmpty && outcomes.isEmpty && ends.isEmpty }

  /// Adds an intent; false if the collected writes must be flushed first.
  mutating func add(_ intent: StepIntent, _ row: RowKey) -> Bool {
    guard steps.insert(Place(row: row.value, step: intent.step)).inserted else { return false }
    intents.append((row, intent))
    return true
  }

  /// Adds an outcome; false if the collected writes must be flushed first.
  mutating func add(_ outcome: StepOutcome, _ row: RowKey) -> Bool {
    guard steps.insert(Place(row: row.value, step: outcome.step)).inserted else { return false }
    outcomes.append((row, outcome))
    return true
  }

  /// Adds a row's end; false if the collected writes must be flushed first.
  mutating func add(_ end: End) -> Bool {
    guard rows.insert(end.row.value).inserted else { return false }
    ends.append(end)
    return true
  }
}

extension PostgresTables {
  func flushPending() throws(PostgresFailure) {
    guard !pending.isEmpty else { return }
    let writes = pending
    pending = PendingWrites()
    try write(writes.intents)
    try write(writes.outcomes)
    guard !writes.ends.isEmpty else { return }
    let faults = writes.ends.map { codec.encode($0.fault, with: $0.state.stored, of: $0.row) }
    try connection.run(
      """
      UPDATE rows SET state = e.state, fault_code = e.code, fault_message = e.message, owner = NULL
      FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[])
        AS e (id, state, code, message)
      WHERE rows.id = e.id
      """,
      [
        .integers(writes.ends.map(\.row.value)), .integers(writes.ends.map(\.state.stored)),
        .texts(faults.map(\.code)), .texts(faults.map(\.message)),
      ])
  }

  private func write(
    _ intents: [(row: RowKey, intent: StepIntent)]
  ) throws(PostgresFailure) {
    guard !intents.isEmpty else { return }
    let rows = PostgresValue.integers(intents.map(\.row.value))
    let steps = PostgresValue.integers(intents.map { Int64($0.intent.step) })
    try connection.run(
      """
      INSERT INTO steps (row_id, step, change, before, intended_at)
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bigint[])
      ON CONFLICT (row_id, step) DO UPDATE
      SET change = excluded.change, before = excluded.before, intended_at = excluded.intended_at
      """,
      [
        rows, steps,
        .blobs(
          intents.map { row, intent in
            codec.encode(intent.change.json, .change, of: row, step: intent.step)
          }),
        .blobs(
          intents.map { row, intent in
            intent.before.map { codec.encode($0, .before, of: row, step: intent.step) }
          }), .integers(intents.map(\.intent.at)),
      ])
    try connection.run(
      """
      DELETE FROM outcomes o USING unnest($1::bigint[], $2::bigint[]) AS i (row_id, step)
      WHERE o.row_id = i.row_id AND o.step = i.step
      """, [rows, steps])
  }

  private func write(
    _ outcomes: [(row: RowKey, outcome: StepOutcome)]
  ) throws(PostgresFailure) {
    guard !outcomes.isEmpty else { return }
    let faults = outcomes.map { row, outcome in
      codec.encode(outcome.fault, with: outcome.result.stored, of: row, step: outcome.step)
    }
    try connection.run(
      """
      INSERT INTO outcomes SELECT * FROM unnest(
        $1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[],
        $7::bigint[], $8::bigint[])
      ON CONFLICT (row_id, step) DO UPDATE
      SET result = excluded.result, fault_code = excluded.fault_code,
        fault_message = excluded.fault_message, settled_at = excluded.settled_at,
        microseconds = excluded.microseconds, attempts = excluded.attempts
      """,
      [
        .integers(outcomes.map(\.row.value)),
        .integers(outcomes.map { Int64($0.outcome.step) }),
        .integers(outcomes.map(\.outcome.result.stored)),
        .texts(faults.map(\.code)), .texts(faults.map(\.message)),
        .integers(outcomes.map(\.outcome.at)), .integers(outcomes.map(\.outcome.microseconds)),
        .integers(outcomes.map { Int64($0.outcome.attempts) }),
      ])
  }
}
