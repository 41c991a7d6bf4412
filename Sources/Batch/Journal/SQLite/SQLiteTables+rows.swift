import System
import Storage

extension SQLiteTables {
  func claim(_ run: Int64, atMost count: Int) throws(JournalError) -> [ClaimedRow] {
    let progress = try progress(of: run)
    var rows: [PlannedRow] = []
    for number in progress.returned.suffix(count).reversed() {
      let key = RowKey(run: run, number: number)
      let found = try database.statement("SELECT planned FROM plans WHERE id = ?")
        .rows([.integer(key.value)])
      guard let row = try found.next() else { throw damaged(key, "the plan") }
      rows.append(try planned(row.bytes(0), key))
    }
    let returned = rows.count
    var cursor = progress.cursor
    if rows.count < count {
      let last = RowKey.limits(of: run).last
      let found = try database.statement(
        """
        SELECT r.id, p.planned, r.fault_code, r.fault_message
        FROM rows r CROSS JOIN plans p ON p.id = r.id
        WHERE r.id > ? AND r.id <= ? AND r.state = 0 ORDER BY r.id
        """
      ).rows([.integer(RowKey(run: run, number: cursor).value), .integer(last.value)])
      while rows.count < count {
        guard let row = try found.next() else {
          cursor = RowKey.largestNumber
          break
        }
        let key = RowKey(row.integer(0))
        _ = try fault(row, 2, RowState.waiting.stored, key)
        rows.append(try planned(row.bytes(1), key))
        cursor = key.number
      }
    }
    try update(run) {
      $0.returned.removeLast(returned)
      $0.cursor = cursor
      for row in rows { $0.claimed.insert(row.number) }
    }
    return try rows.map { row throws(JournalError) in
      ClaimedRow(row: row, steps: try steps(of: RowKey(run: run, number: row.number)))
    }
  }

  func release(_ run: Int64, _ numbers: [Int64]) throws(JournalError) {
    try update(run) { progress in
      progress.giveBack(Set(numbers).filter(progress.claimed.contains))
    }
  }

  func reopen(_ run: Int64, _ numbers: [Int64]) throws(JournalError) {
    // Load the counts before the change, or the first load would already include it.
    _ = try progress(of: run)
    var reopened: [(number: Int64, from: RowState)] = []
    for number in numbers {
      let key = RowKey(run: run, number: number)
      let previous = try state(of: key)
      guard [.failed, .halfDone].contains(previous) else { continue }
      try put(.waiting, nil, key)
      reopened.append((number, previous))
    }
    try update(run) { progress in
      for row in reopened { progress.tally.rows[row.from, default: 0] -= 1 }
      progress.tally.rows[.waiting, default: 0] += Int64(reopened.count)
      // Rows after the cursor will be claimed anyway.
      progress.giveBack(reopened.map(\.number).filter { $0 <= progress.cursor })
    }
  }

  func forget(_ run: Int64, row: Int64) throws(JournalError) -> [StepOutcome.Result] {
    let key = RowKey(run: run, number: row)
    // Load the counts before the change, or the first load would already include it.
    _ = try progress(of: run)
    var removed: [StepOutcome.Result] = []
    do {
      let rows = try database.statement("DELETE FROM outcomes WHERE row_id = ? RETURNING result")
        .rows([.integer(key.value)])
      while let row = try rows.next() {
        if let result = StepOutcome.Result(stored: row.integer(0)) { removed.append(result) }
      }
    }
    try database.run("DELETE FROM steps WHERE row_id = ?", [.integer(key.value)])
    try update(run) { progress in
      for result in removed { progress.tally.steps[result, default: 0] -= 1 }
    }
    return removed
  }

  func intend(_ run: Int64, _ intent: StepIntent) throws(JournalError) {
    let key = RowKey(run: run, number: intent.row)
    let before = intent.before.map { codec.encode($0, .before, of: key, step: intent.step) }
    try database.run(
      """
      INSERT INTO steps (row_id, step, change, before, intended_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (row_id, step) DO UPDATE
      SET change = excluded.change, before = excluded.before, intended_at = excluded.intended_at
      """,
      [
        .integer(key.value), .integer(Int64(intent.step)),
        .blob(codec.encode(intent.change.json, .change, of: key, step: intent.step)),
        before.map(SQLValue.blob) ?? .null, .integer(intent.at),
      ])
    try removeOutcome(key, step: intent.step)
  }

  func settle(
    _ run: Int64, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFailure?
  ) throws(JournalError) {
    if let outcome { try put(outcome, RowKey(run: run, number: outcome.row)) }
    guard let end else { return }
    guard end.stored != RowState.waiting.stored else { return try release(run, [row]) }
    let key = RowKey(run: run, number: row)
    // A claimed row waits.
    let isClaimed = try progress(of: run).claimed.contains(row)
    let previous = isClaimed ? .waiting : try state(of: key)
    try put(end, fault, key)
    try update(run) {
      $0.claimed.remove(row)
      $0.tally.rows[previous, default: 0] -= 1
      $0.tally.rows[end, default: 0] += 1
    }
  }

  private func put(
    _ state: RowState, _ fault: RowFailure?, _ key: RowKey
  ) throws(JournalError) {
    let (code, message) = codec.encode(fault, with: state.stored, of: key)
    try database.run(
      "UPDATE rows SET state = ?, fault_code = ?, fault_message = ? WHERE id = ?",
      [.integer(state.stored), .text(code), .text(message), .integer(key.value)])
  }

  private func put(_ outcome: StepOutcome, _ key: RowKey) throws(JournalError) {
    try removeOutcome(key, step: outcome.step)
    let (code, message) = codec.encode(
      outcome.fault, with: outcome.result.stored, of: key, step: outcome.step)
    try database.run(
      "INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .integer(key.value), .integer(Int64(outcome.step)), .integer(outcome.result.stored),
        .text(code), .text(message),
        .integer(outcome.at), .integer(outcome.microseconds), .integer(Int64(outcome.attempts)),
      ])
    try update(key.run) { $0.tally.steps[outcome.result, default: 0] += 1 }
  }

  private func removeOutcome(_ key: RowKey, step: Int) throws(JournalError) {
    // Few steps have an outcome already, and this query is much cheaper than a DELETE with RETURNING.
    guard let removed = try result(of: key, step: step) else { return }
    try database.run(
      "DELETE FROM outcomes WHERE row_id = ? AND step = ?",
      [.integer(key.value), .integer(Int64(step))])
    try update(key.run) { $0.tally.steps[removed, default: 0] -= 1 }
  }

  private func result(
    of key: RowKey, step: Int
  ) throws(JournalError) -> StepOutcome.Result? {
    let rows = try database.statement("SELECT result FROM outcomes WHERE row_id = ? AND step = ?")
      .rows([.integer(key.value), .integer(Int64(step))])
    guard let row = try rows.next() else { return nil }
    guard let result = StepOutcome.Result(stored: row.integer(0)) else {
      throw damaged(key, "the outcome of step \(step)")
    }
    return result
  }

  private func state(of key: RowKey) throws(JournalError) -> RowState {
    let rows = try database.statement("SELECT state FROM rows WHERE id = ?")
      .rows([.integer(key.value)])
    guard let row = try rows.next(), let state = RowState(stored: row.integer(0)) else {
      throw damaged(key, "the state")
    }
    return state
  }

  func tally(_ run: Int64) throws(JournalError) -> BatchTally { try progress(of: run).shownTally }

  func rows(
    _ run: Int64, _ query: RowQuery, after: Int64?, atMost count: Int
  ) throws(JournalError) -> [RowRecord] {
    let claimed = try progress(of: run).claimed
    let states = query.states.isEmpty ? Set(RowState.allCases) : query.states
    let mask = states.reduce(Int64(0)) { $0 | 1 << $1.stored }
    let (before, last) = RowKey.limits(of: run)
    let statement: Statement
    var limits: [SQLValue]
    if query.isReversed {
      statement = try database.statement(
        """
        SELECT r.id, r.state, r.fault_code, r.fault_message, p.planned
        FROM rows r CROSS JOIN plans p ON p.id = r.id
        WHERE r.id > ? AND r.id < ? AND (? >> r.state) & 1 ORDER BY r.id DESC
        """)
      let end = after.map { RowKey(run: run, number: $0).value } ?? last.value + 1
      limits = [.integer(before.value), .integer(end)]
    } else {
      statement = try database.statement(
        """
        SELECT r.id, r.state, r.fault_code, r.fault_message, p.planned
        FROM rows r CROSS JOIN plans p ON p.id = r.id
        WHERE r.id > ? AND r.id <= ? AND (? >> r.state) & 1 ORDER BY r.id
        """)
      let start = after.map { RowKey(run: run, number: $0) } ?? before
      limits = [.integer(start.value), .integer(last.value)]
    }
    limits.append(.integer(mask))
    let found = try statement.rows(limits)
    var records: [RowRecord] = []
    while records.count < count, let row = try found.next() {
      let key = RowKey(row.integer(0))
      guard var state = RowState(stored: row.integer(1)) else { throw damaged(key, "the state") }
      if state == .waiting, claimed.contains(key.number) { state = .claimed }
      guard states.contains(state) else { continue }
      records.append(
        RowRecord(
          row: try planned(row.bytes(4), key), state: state,
          fault: try fault(row, 2, row.integer(1), key),
          steps: query.withSteps ? try steps(of: key) : []))
    }
    return records
  }

  func outcomes(
    _ run: Int64, _ rows: ClosedRange<Int64>
  ) throws(JournalError) -> [StepOutcome] {
    let found = try database.statement(
      """
      SELECT row_id, step, result, fault_code, fault_message, settled_at, microseconds, attempts
      FROM outcomes WHERE row_id >= ? AND row_id <= ? ORDER BY row_id, step
      """
    ).rows([
      .integer(RowKey(run: run, number: rows.lowerBound).value),
      .integer(RowKey(run: run, number: rows.upperBound).value),
    ])
    var outcomes: [StepOutcome] = []
    while let row = try found.next() {
      let key = RowKey(row.integer(0))
      let step = Int(clamping: row.integer(1))
      guard let result = StepOutcome.Result(stored: row.integer(2)) else {
        throw damaged(key, "the outcome of step \(step)")
      }
      outcomes.append(
        StepOutcome(
          row: key.number, step: step, result: result,
          fault: try fault(row, 3, result.stored, key, step),
          at: row.integer(5), microseconds: row.integer(6),
          attempts: Int(clamping: row.integer(7))))
    }
    return outcomes
  }

  private func steps(of key: RowKey) throws(JournalError) -> [StepRecord] {
    let rows = try database.statement(
      """
      SELECT s.step, s.change, s.before, s.intended_at,
        o.result, o.fault_code, o.fault_message, o.settled_at, o.microseconds, o.attempts
      FROM steps s LEFT JOIN outcomes o ON o.row_id = s.row_id AND o.step = s.step
      WHERE s.row_id = ? ORDER BY s.step
      """
    ).rows([.integer(key.value)])
    var steps: [StepRecord] = []
    while let row = try rows.next() {
      let step = Int(clamping: row.integer(0))
      guard let json = codec.decode(row.bytes(1), .change, of: key, step: step),
        let change = try? Change(json: json)
      else { throw damaged(key, "step \(step)") }
      var before: JSON?
      let image = row.bytes(2)
      if !image.isEmpty {
        before = codec.decode(image, .before, of: key, step: step)
        guard before != nil else { throw damaged(key, "the account before step \(step)") }
      }
      steps.append(
        StepRecord(
          intent: StepIntent(
            row: key.number, step: step, change: change, before: before, at: row.integer(3)),
          outcome: try StepOutcome.Result(stored: row.integer(4)).map {
            result throws(JournalError) in
            StepOutcome(
              row: key.number, step: step, result: result,
              fault: try fault(row, 5, result.stored, key, step),
              at: row.integer(7),
              microseconds: row.integer(8), attempts: Int(clamping: row.integer(9)))
          }))
    }
    return steps
  }

  /// The error in two columns.
  ///
  /// - Parameter state: The state or result in the same record.
  /// - Throws: If one of the three was changed.
  private func fault(
    _ row: Row, _ column: Int32, _ state: Int64, _ key: RowKey, _ step: Int = 0
  ) throws(JournalError) -> RowFailure? {
    do throws(JournalCodec.Damage) {
      return try codec.decode(
        code: row.string(column) ?? "", message: row.string(column + 1) ?? "", with: state, of: key,
        step: step)
    } catch {
      throw damaged(key, step == 0 ? "the state" : "the outcome of step \(step)")
    }
  }

  private func planned(_ bytes: [UInt8], _ key: RowKey) throws(JournalError) -> PlannedRow {
    guard let json = codec.decode(bytes, .planned, of: key), let row = try? PlannedRow(json: json)
    else { throw damaged(key, "the plan") }
    return row
  }
}
