import Encoding
import Journal

/// A journal's tables in an SQLite file, and who of this process has which rows.
///
/// Nobody else can have the file, so that claims are kept in memory: with the process they end.
// Sendable, because only the thread of the `JournalQueue` that has it calls its functions.
final class SQLiteTables: JournalTables, @unchecked Sendable {
  let database: Database
  /// Set once the key is known to be right.
  var codec = JournalCodec(key: nil)
  /// The rows that are claimed; all when nil.
  var shard: BatchShard?
  var progress: [Int64: RunProgress] = [:]

  /// Opens the file or makes it; it is then locked for this process.
  init(path: String) throws(JournalError) {
    database = try Database.open(path: path, schema: Self.schema, durability: .powerLoss)
  }

  /// Opens a file only to read it that another process has, which must not write meanwhile.
  init(lookingAt path: String) throws(JournalError) {
    database = try Database.openToLook(path: path, schema: Self.schema)
  }

  /// The journal's tables, and the "LUBJ" that tells it from other files.
  ///
  /// What changes for each step is apart from what is written once: a commit then touches few pages.
  static var schema: Schema {
    Schema(
      kind: "journal", applicationID: 0x4C55_424A,
      migrations: [
        """
        CREATE TABLE meta (
          name TEXT PRIMARY KEY,
          value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE runs (
          number INTEGER PRIMARY KEY,
          kind TEXT NOT NULL,
          of_run INTEGER,
          is_loaded INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE plans (
          id INTEGER PRIMARY KEY,
          planned BLOB NOT NULL
        ) STRICT;
        CREATE TABLE rows (
          id INTEGER PRIMARY KEY,
          state INTEGER NOT NULL,
          fault_code TEXT NOT NULL,
          fault_message TEXT NOT NULL
        ) STRICT;
        CREATE TABLE steps (
          id INTEGER PRIMARY KEY,
          row_id INTEGER NOT NULL,
          step INTEGER NOT NULL,
          change BLOB NOT NULL,
          before BLOB,
          intended_at INTEGER NOT NULL,
          UNIQUE (row_id, step)
        ) STRICT;
        CREATE TABLE outcomes (
          row_id INTEGER NOT NULL,
          step INTEGER NOT NULL,
          result INTEGER NOT NULL,
          fault_code TEXT NOT NULL,
          fault_message TEXT NOT NULL,
          settled_at INTEGER NOT NULL,
          microseconds INTEGER NOT NULL,
          attempts INTEGER NOT NULL,
          PRIMARY KEY (row_id, step)
        ) STRICT, WITHOUT ROWID;
        """
      ])
  }

  func commit<Value>(
    _ work: () throws(JournalError) -> Value
  ) throws(JournalError) -> Value {
    do throws(JournalError) {
      try database.begin()
      let value = try work()
      // Rows in a file that nobody can find again would be lost.
      guard !database.hasMoved else { throw database.file.moved }
      try database.commit()
      return value
    } catch {
      database.rollback()
      throw error
    }
  }

  func problem(_ failure: JournalError) -> BatchProblem { BatchProblem(failure) }

  func close() { database.close() }

  func damaged(_ row: RowKey, _ what: String) -> JournalError {
    database.file.damaged("\(what) of row \(row.number) of run \(row.run) was changed or is broken")
  }
}

/// How far a run has come, and which of its rows this process has.
struct RunProgress {
  var tally: BatchTally
  /// Rows up to this number were claimed once since the file was opened.
  var cursor: Int64 = 0
  /// Rows up to the cursor that wait again, the first one last.
  var returned: [Int64] = []
  var claimed: Set<Int64> = []

  /// The tally with the rows that are claimed told apart from those that wait.
  var shownTally: BatchTally {
    var shown = tally
    let count = Int64(claimed.count)
    if count > 0 {
      shown.rows[.waiting, default: 0] -= count
      shown.rows[.claimed] = count
    }
    shown.rows = shown.rows.filter { $0.value != 0 }
    shown.steps = shown.steps.filter { $0.value != 0 }
    return shown
  }

  /// Lets rows wait again that were claimed once.
  mutating func giveBack(_ numbers: [Int64]) {
    guard !numbers.isEmpty else { return }
    claimed.subtract(numbers)
    returned.append(contentsOf: numbers)
    returned.sort(by: >)
  }
}

extension RowState {
  /// The number that stands for it in a database.
  var stored: Int64 {
    switch self {
    case .waiting, .claimed: 0
    case .done: 1
    case .failed: 2
    case .skipped: 3
    case .refused: 4
    }
  }

  init?(stored: Int64) {
    let states: [RowState] = [.waiting, .done, .failed, .skipped, .refused]
    guard states.indices.contains(Int(clamping: stored)) else { return nil }
    self = states[Int(stored)]
  }
}

extension StepOutcome.Result {
  /// The number that stands for it in a database, where 0 is for none.
  var stored: Int64 {
    switch self {
    case .done: 1
    case .reconciled: 2
    case .already: 3
    case .failed: 4
    }
  }

  init?(stored: Int64) {
    let results: [StepOutcome.Result] = [.done, .reconciled, .already, .failed]
    guard results.indices.contains(Int(clamping: stored - 1)) else { return nil }
    self = results[Int(stored - 1)]
  }
}
