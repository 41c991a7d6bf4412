import System

/// Exports rows with their results, in a form from which a new plan can be made.
struct RowExport: Sendable {
  /// The file format of an export.
  enum Format: String, Sendable, CaseIterable {
    case csv, ndjson
  }

  /// The columns that an export adds after those of the input.
  static let columns = ["luath_state", "luath_code", "luath_cause"]

  private enum Source: Sendable {
    case journal(any BatchJournal, BatchRun)
    /// The path of a plan that was never run.
    case plan(String)
  }

  private let source: Source
  /// The column names, in order; empty when rows are JSON.
  private let columns: [String]
  private let states: Set<RowState>
  private let selection: RowSelection
  private let format: Format

  /// Selects rows of a run by their state; rows in all states if `states` is empty.
  ///
  /// - Throws: If the selection names an unknown column.
  init(
    _ run: BatchRun, of journal: any BatchJournal, states: Set<RowState>,
    _ selection: RowSelection = RowSelection(), format: Format
  ) throws(BatchProblem) {
    source = .journal(journal, run)
    columns = journal.header.columns
    try selection.check(columns)
    self.states = states
    self.selection = selection
    self.format = format
  }

  /// Selects rows of a plan that was never run; their state is waiting, skipped or refused.
  ///
  /// - Throws: If the plan was cut off or edited, or the selection names an unknown column.
  init(
    plan path: String, states: Set<RowState>, _ selection: RowSelection, format: Format
  ) throws(BatchProblem) {
    let reader = try PlanReader(path: path)
    _ = try reader.check()
    source = .plan(path)
    columns = reader.header.columns
    try selection.check(columns)
    self.states = states
    self.selection = selection
    self.format = format
  }

  /// Writes the rows to a file, or to standard output if `path` is nil; returns the number of rows.
  func write(to path: String?) async throws(BatchProblem) -> Int64 {
    let file = try OutputFile.orStandardOutput(path)
    let count = try await write { bytes throws(BatchProblem) in try file.write(bytes) }
    try file.finish()
    return count
  }

  private func write(
    _ write: ([UInt8]) throws(BatchProblem) -> Void
  ) async throws(BatchProblem) -> Int64 {
    let columns = format == .csv ? try await ownColumns() : []
    if format == .csv { try write(Self.line(columns + Self.columns)) }
    var count: Int64 = 0
    try await forEach { record throws(BatchProblem) in
      count += 1
      let own = record.own
      switch format {
      case .csv:
        let fields = columns.map { Self.text(record.row.input?[$0]) }
        try write(Self.line(fields + own.map(\.value)))
      case .ndjson:
        var object = record.row.input ?? [:]
        for (name, value) in own { object[name] = value.isEmpty ? nil : .string(value) }
        try write(JSON.object(object).encodedBytes() + [0x0A])
      }
    }
    return count
  }

  private func forEach(
    _ body: (RowRecord) throws(BatchProblem) -> Void
  ) async throws(BatchProblem) {
    switch source {
    case .journal(let journal, let run):
      var pages = RowPages(journal, run, states: states)
      while let page = try await pages.next() {
        for record in page where selection.has(record) { try body(record) }
      }
    case .plan(let path):
      let reader = try PlanReader(path: path)
      while let row = try reader.next() {
        let record = RowRecord(planned: row)
        guard states.isEmpty || states.contains(record.state) else { continue }
        if selection.has(record) { try body(record) }
      }
    }
  }

  /// The columns of the input, without those that an earlier export added.
  private func ownColumns() async throws(BatchProblem) -> [String] {
    var columns = columns
    if columns.isEmpty {
      // JSON rows may have different members, so collect the names of all.
      var seen: Set<ExactString> = []
      try await forEach { record throws(BatchProblem) in
        for name in record.row.input?.keys ?? [] where seen.insert(ExactString(name)).inserted {
          columns.append(name)
        }
      }
    }
    return columns.filter { !Self.columns.contains($0) }
  }

  /// The value as text for a CSV field.
  static func text(_ value: JSON?) -> String {
    switch value {
    case nil, .null?: ""
    case let value?: value.string ?? value.encoded()
    }
  }

  /// A CSV record (RFC 4180).
  private static func line(_ fields: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, field) in fields.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      let needsQuotes =
        field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        || field.utf8.first == 0x20 || field.utf8.last == 0x20
        // Quote a single empty field, because an empty line is not a record.
        || fields.count == 1 && field.isEmpty
      if needsQuotes {
        bytes.append(0x22)
        for byte in field.utf8 {
          bytes.append(byte)
          if byte == 0x22 { bytes.append(0x22) }
        }
        bytes.append(0x22)
      } else {
        bytes += field.utf8
      }
    }
    return bytes + [0x0D, 0x0A]
  }
}

extension RowRecord {
  /// The record of a planned row that was never run.
  fileprivate init(planned row: PlannedRow) {
    let state: RowState =
      switch row.decision {
      case .run: .waiting
      case .skip: .skipped
      case .refuse: .refused
      }
    self.init(row: row, state: state, fault: nil, steps: [])
  }

  /// Why the row failed, or why the plan refused it.
  var cause: RowFailure? {
    if case .refuse(let refusal) = row.decision { refusal } else { fault }
  }

  /// The columns that an export adds: the row's state, error code and cause.
  fileprivate var own: [(name: String, value: String)] {
    var words = cause?.message ?? row.reason ?? ""
    if row.input == nil { words = "line \(row.line): \(words)" }
    return zip(RowExport.columns, [state.rawValue, cause?.code ?? "", words]).map { ($0, $1) }
  }
}

/// Iterates over the rows of a run in pages, to save memory.
struct RowPages {
  private let journal: any BatchJournal
  private let run: BatchRun
  private let query: RowQuery
  private let size: Int
  private var last: Int64?
  private var isOver = false

  init(
    _ journal: any BatchJournal, _ run: BatchRun, states: Set<RowState> = [],
    withSteps: Bool = false, after last: Int64? = nil, size: Int = 500
  ) {
    self.journal = journal
    self.run = run
    self.size = size
    self.last = last
    var query = RowQuery()
    query.states = states
    query.withSteps = withSteps
    self.query = query
  }

  /// The next page; nil after the last.
  mutating func next() async throws(BatchProblem) -> [RowRecord]? {
    guard !isOver else { return nil }
    let page = try await journal.rows(run, query, after: last, atMost: size)
    last = page.last?.row.number
    isOver = page.count < size
    return page.isEmpty ? nil : page
  }
}

/// Caches pages of rows for access in nearly descending order of row numbers.
struct RowStore {
  private static let pageSize = 256
  private static let mostPages = 32

  private let journal: any BatchJournal
  private let run: BatchRun
  private var pages: [[Int64: RowRecord]] = []

  init(_ journal: any BatchJournal, _ run: BatchRun) {
    self.journal = journal
    self.run = run
  }

  /// The row with its steps.
  mutating func row(_ number: Int64) async throws(BatchProblem) -> RowRecord? {
    for page in pages { if let found = page[number] { return found } }
    var query = RowQuery()
    query.withSteps = true
    query.isReversed = true
    let found = try await journal.rows(run, query, after: number + 1, atMost: Self.pageSize)
    if pages.count >= Self.mostPages { pages.removeFirst() }
    let page = Dictionary(found.map { ($0.row.number, $0) }) { first, _ in first }
    pages.append(page)
    return page[number]
  }
}
