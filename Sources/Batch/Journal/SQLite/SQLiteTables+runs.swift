import System
import Storage

/// The identity of a journal's plan and key.
struct JournalMeta: Sendable {
  var header: PlanHeader
  var digest: String
  /// The value that identifies the key; nil without a key.
  var keyCheck: [UInt8]?
}

extension SQLiteTables {
  /// The plan and key that the journal was made for; nil if it is new or its loading did not end.
  func meta() throws(JournalError) -> JournalMeta? {
    guard try isLoaded() else { return nil }
    var values: [String: [UInt8]] = [:]
    let rows = try database.statement("SELECT name, value FROM meta").rows()
    while let row = try rows.next() { values[row.string(0) ?? ""] = row.bytes(1) }
    guard let text = values["header"], let json = try? JSON.parse(text),
      let header = try? PlanHeader(json: json), let digest = values["digest"]
    else { throw database.file.damaged("it does not name its plan") }
    return JournalMeta(
      header: header, digest: String(decoding: digest, as: UTF8.self), keyCheck: values["key"])
  }

  private func isLoaded() throws(JournalError) -> Bool {
    try database.integer("SELECT count(*) FROM runs WHERE number = 1 AND is_loaded = 1") == 1
  }

  /// Empties the journal and assigns it to a plan whose rows will follow.
  func begin(_ meta: JournalMeta) throws(JournalError) {
    // DELETE without WHERE truncates a table without visiting its rows (sqlite.org/lang_delete.html).
    try database.run("DELETE FROM plans")
    try database.run("DELETE FROM rows")
    try database.run("DELETE FROM runs")
    try database.run("DELETE FROM meta WHERE name <> 'open'")
    try put("header", meta.header.json.encodedBytes())
    try put("digest", Array(meta.digest.utf8))
    if let check = meta.keyCheck { try put("key", check) }
    progress = [:]
  }

  private func put(_ name: String, _ value: [UInt8]) throws(JournalError) {
    try database.run("INSERT INTO meta VALUES (?, ?)", [.text(name), .blob(value)])
  }

  func runs() throws(JournalError) -> [BatchRun] {
    var runs: [BatchRun] = []
    let rows = try database.statement(
      // The states 1 to 5 are those of `RowState.stored`; the results 1 and 2 are `done` and `reconciled`.
      """
      SELECT number, kind, of_run, kind LIKE 'undo%'
        AND NOT EXISTS (
          SELECT 1 FROM rows WHERE id > number << 40 AND id < (number + 1) << 40 AND state <> 2)
        AND NOT EXISTS (
          SELECT 1 FROM outcomes
          WHERE row_id > number << 40 AND row_id < (number + 1) << 40 AND result IN (1, 2))
      FROM runs WHERE is_loaded = 1 ORDER BY number
      """
    ).rows()
    while let row = try rows.next() {
      guard let kind = BatchRun.Kind(rawValue: row.string(1) ?? "") else {
        throw database.file.damaged("a run is of an unknown kind")
      }
      let of = row.integer(2)
      runs.append(
        BatchRun(
          number: row.integer(0), kind: kind, of: of == 0 ? nil : of, isVoid: row.integer(3) == 1))
    }
    return runs
  }

  func record(_ session: BatchSession) throws(JournalError) {
    let key = RowKey(run: session.run, number: 0)
    try database.run(
      "INSERT INTO sessions (run, begun_at, data) VALUES (?, ?, ?)",
      [
        .integer(session.run), .integer(session.at),
        .blob(codec.encode(session.json, .session, of: key)),
      ])
  }

  func sessions() throws(JournalError) -> [BatchSession] {
    // A file on a read-only medium keeps its older version.
    let isKnown = try database.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'sessions'")
    guard isKnown > 0 else { return [] }
    var sessions: [BatchSession] = []
    let rows = try database.statement("SELECT run, begun_at, data FROM sessions ORDER BY id").rows()
    while let row = try rows.next() {
      let key = RowKey(run: row.integer(0), number: 0)
      let json = codec.decode(row.bytes(2), .session, of: key)
      let session = json.flatMap {
        BatchSession(json: $0, run: row.integer(0), at: row.integer(1))
      }
      guard let session else {
        throw database.file.damaged("it does not name the process that worked on it")
      }
      sessions.append(session)
    }
    return sessions
  }

  /// Removes runs whose loading did not end.
  func removeUnloaded() throws(JournalError) {
    var unloaded: [Int64] = []
    do {
      let rows = try database.statement("SELECT number FROM runs WHERE is_loaded = 0").rows()
      while let row = try rows.next() { unloaded.append(row.integer(0)) }
    }
    for run in unloaded { try remove(run) }
  }

  func beginRun(_ kind: BatchRun.Kind, of: Int64?) throws(JournalError) -> BatchRun {
    let number = try database.integer("SELECT max(number) FROM runs") + 1
    try database.run(
      "INSERT INTO runs VALUES (?, ?, ?, 0)",
      [.integer(number), .text(kind.rawValue), of.map(SQLValue.integer) ?? .null])
    return BatchRun(number: number, kind: kind, of: of)
  }

  func insert(_ planned: [PlannedRow], into run: Int64) throws(JournalError) {
    let plans = try database.statement("INSERT OR IGNORE INTO plans VALUES (?, ?)")
    let rows = try database.statement("INSERT OR IGNORE INTO rows VALUES (?, ?, ?, ?)")
    for row in planned {
      let key = RowKey(run: run, number: row.number)
      try plans.run([.integer(key.value), .blob(codec.encode(row.json, .planned, of: key))])
      var state = RowState.waiting
      var fault: RowFailure?
      switch row.decision {
      case .run: break
      case .skip: state = .skipped
      case .refuse(let why): (state, fault) = (.refused, why)
      }
      let (code, message) = codec.encode(fault, with: state.stored, of: key)
      try rows.run([
        .integer(key.value), .integer(state.stored), .text(code), .text(message),
      ])
    }
  }

  func endLoading(_ run: Int64, count: Int64) throws(JournalError) -> Bool {
    guard try progress(of: run).tally.rows.values.reduce(0, +) == count else { return false }
    try database.run("UPDATE runs SET is_loaded = 1 WHERE number = ?", [.integer(run)])
    // A copy of the file alone has at least the rows.
    needsCheckpoint = true
    return true
  }

  func remove(_ run: Int64) throws(JournalError) {
    let (before, last) = RowKey.limits(of: run)
    let limits: [SQLValue] = [.integer(before.value), .integer(last.value)]
    try database.run("DELETE FROM plans WHERE id >= ? AND id <= ?", limits)
    try database.run("DELETE FROM rows WHERE id >= ? AND id <= ?", limits)
    try database.run("DELETE FROM runs WHERE number = ?", [.integer(run)])
    progress[run] = nil
  }

  /// The counts and claims of a run; the counts are read from the tables once and then cached.
  func progress(of run: Int64) throws(JournalError) -> RunProgress {
    if let known = progress[run] { return known }
    var tally = BatchTally()
    let (before, last) = RowKey.limits(of: run)
    let limits: [SQLValue] = [.integer(before.value), .integer(last.value)]
    do {
      let states = try database.statement(
        "SELECT state, count(*) FROM rows WHERE id > ? AND id <= ? GROUP BY state"
      ).rows(limits)
      while let row = try states.next() {
        guard let state = RowState(stored: row.integer(0)) else {
          throw database.file.damaged("a row is in a state that is not known")
        }
        tally.rows[state] = row.integer(1)
      }
    }
    let results = try database.statement(
      """
      SELECT result, count(*) FROM outcomes WHERE row_id > ? AND row_id <= ? GROUP BY result
      """
    ).rows(limits)
    while let row = try results.next() {
      guard let result = StepOutcome.Result(stored: row.integer(0)) else {
        throw database.file.damaged("a step ended in a way that is not known")
      }
      tally.steps[result] = row.integer(1)
    }
    let found = RunProgress(tally: tally)
    progress[run] = found
    return found
  }

  /// Changes the cached counts and claims of a run.
  func update(_ run: Int64, _ body: (inout RunProgress) -> Void) throws(JournalError) {
    var current = try progress(of: run)
    // Remove the dictionary's reference first, or the change would copy the sets.
    progress[run] = nil
    body(&current)
    progress[run] = current
  }
}
