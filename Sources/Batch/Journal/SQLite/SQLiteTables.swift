import Glibc
import System
import Storage

/// A journal's tables in an SQLite file, and the rows that this process has claimed.
///
/// Claims are kept in memory, because only one process can open the file; they end with the process.
// Sendable, because only the thread of the `JournalQueue` that has it calls its functions.
final class SQLiteTables: JournalTables, @unchecked Sendable {
  let database: Database
  /// The codec; set once the key is verified.
  var codec = JournalCodec(key: nil)
  var progress: [Int64: RunProgress] = [:]
  /// Whether the log is to be copied into the file after the next commit.
  var needsCheckpoint = false
  private let isWritable: Bool
  private var isClosed = false

  /// Opens or creates the file, and locks it for this process; a file on a read-only medium is only read.
  ///
  /// - Throws: Also if the file was copied without its log, which has the latest steps.
  init(path: String, isWritable: Bool? = nil) throws(JournalError) {
    let hasLog = access("\(path)-wal", F_OK) == 0
    let isWritable = isWritable ?? (access(path, W_OK) == 0 || errno == ENOENT || hasLog)
    self.isWritable = isWritable
    if isWritable {
      database = try Database.open(path: path, schema: Self.schema, durability: .powerLoss)
    } else {
      database = try Database.openReadOnly(path: path, schema: Self.schema)
    }
    let wasOpen = try database.integer("SELECT count(*) FROM meta WHERE name = 'open'") > 0
    guard !wasOpen || hasLog else {
      throw JournalError(
        .damaged,
        "\(FileName.shown(path)) was copied without \(FileName.shown(path))-wal, which has the last steps",
        hint: "copy both files, or end the run before you copy; do not run the plan with this copy")
    }
    guard isWritable else { return }
    try database.begin()
    try database.run("INSERT OR REPLACE INTO meta VALUES ('open', x'01')")
    try database.commit()
    try database.checkpoint()
  }

  /// Opens a file for reading while another process holds it; that process must not write meanwhile.
  init(lookingAt path: String) throws(JournalError) {
    isWritable = false
    database = try Database.openToLook(path: path, schema: Self.schema)
  }

  /// The journal's tables; the application id is "LUBJ".
  ///
  /// Data that changes with each step is in other tables than data written once, so that a commit changes few pages.
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
        """,
        """
        CREATE TABLE sessions (
          id INTEGER PRIMARY KEY,
          run INTEGER NOT NULL,
          begun_at INTEGER NOT NULL,
          data BLOB NOT NULL
        ) STRICT;
        """,
      ])
  }

  func commit<Value>(
    _ work: () throws(JournalError) -> Value
  ) throws(JournalError) -> Value {
    guard isWritable else { return try work() }
    do throws(JournalError) {
      try database.begin()
      let value = try work()
      // Do not commit into a file that was moved or deleted: nobody would find the data.
      guard !database.hasMoved else { throw database.file.moved }
      try database.commit()
      if needsCheckpoint {
        needsCheckpoint = false
        try database.checkpoint()
      }
      return value
    } catch {
      database.rollback()
      throw error
    }
  }

  func problem(_ failure: JournalError) -> BatchProblem { BatchProblem(failure) }

  func close() {
    if isWritable, !isClosed {
      // If this fails, the log stays beside the file, so that the file counts as whole.
      try? database.run("DELETE FROM meta WHERE name = 'open'")
    }
    isClosed = true
    database.close()
  }

  func damaged(_ row: RowKey, _ what: String) -> JournalError {
    database.file.damaged("\(what) of row \(row.number) of run \(row.run) was changed or is broken")
  }
}

/// The counts of a run, and its rows that this process has claimed.
struct RunProgress {
  var tally: BatchTally
  /// Rows up to this number have been claimed at least once since the file was opened.
  var cursor: Int64 = 0
  /// Rows up to the cursor that are pending again, in descending order.
  var returned: [Int64] = []
  var claimed: Set<Int64> = []

  /// The tally with claimed rows counted separately from pending rows.
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

  /// Releases rows, so that they are claimed again first.
  mutating func giveBack(_ numbers: [Int64]) {
    guard !numbers.isEmpty else { return }
    claimed.subtract(numbers)
    returned.append(contentsOf: numbers)
    returned.sort(by: >)
  }
}

extension RowState {
  /// The number that represents the state in a database; claimed rows are stored as pending.
  var stored: Int64 {
    switch self {
    case .waiting, .claimed: 0
    case .done: 1
    case .failed: 2
    case .skipped: 3
    case .refused: 4
    case .halfDone: 5
    }
  }

  init?(stored: Int64) {
    let states: [RowState] = [.waiting, .done, .failed, .skipped, .refused, .halfDone]
    guard states.indices.contains(Int(clamping: stored)) else { return nil }
    self = states[Int(stored)]
  }
}

extension StepOutcome.Result {
  /// The number that represents the result in a database; 0 means no outcome.
  var stored: Int64 {
    switch self {
    case .done: 1
    case .reconciled: 2
    case .already: 3
    case .failed: 4
    case .takenBack: 5
    }
  }

  init?(stored: Int64) {
    let results: [StepOutcome.Result] = [.done, .reconciled, .already, .failed, .takenBack]
    guard results.indices.contains(Int(clamping: stored - 1)) else { return nil }
    self = results[Int(stored - 1)]
  }
}
