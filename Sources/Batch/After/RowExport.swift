import Encoding

/// Writes rows with what became of them, in a form that a plan can be made from again.
public struct RowExport: Sendable {
  /// How rows are written.
  public enum Format: String, Sendable, CaseIterable {
    case csv, ndjson
  }

  /// The columns behind those of the input.
  public static let columns = ["luath_state", "luath_code", "luath_cause"]

  /// Where the rows are.
  private enum Source: Sendable {
    case journal(any BatchJournal, BatchRun)
    /// A plan that was never run, by its path.
    case plan(String)
  }

  private let source: Source
  /// The names of the columns, in order; empty when rows are JSON.
  private let columns: [String]
  private let states: Set<RowState>
  private let format: Format

  /// Chooses rows of a run by their state; all when there is none.
  public init(
    _ run: BatchRun, of journal: any BatchJournal, states: Set<RowState>, format: Format
  ) {
    source = .journal(journal, run)
    columns = journal.header.columns
    self.states = states
    self.format = format
  }

  /// Chooses rows of a plan that was never run, which wait, are skipped or are refused.
  ///
  /// - Throws: That the plan was cut off or edited.
  public init(
    plan path: String, states: Set<RowState>, format: Format
  ) throws(BatchProblem) {
    let reader = try PlanReader(path: path)
    _ = try reader.check()
    source = .plan(path)
    columns = reader.header.columns
    self.states = states
    self.format = format
  }

  /// Writes the rows to a file, or to a descriptor when there is no path; gives how many.
  public func write(to path: String?, descriptor: Int32 = 1) async throws(BatchProblem) -> Int64 {
    let file =
      if let path {
        try OutputFile(path: path, allowsStream: true)
      } else {
        OutputFile(descriptor: descriptor, name: "standard output")
      }
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

  /// Goes through the rows in their order.
  private func forEach(
    _ body: (RowRecord) throws(BatchProblem) -> Void
  ) async throws(BatchProblem) {
    switch source {
    case .journal(let journal, let run):
      var pages = RowPages(journal, run, states: states)
      while let page = try await pages.next() {
        for record in page { try body(record) }
      }
    case .plan(let path):
      let reader = try PlanReader(path: path)
      while let row = try reader.next() {
        let record = RowRecord(planned: row)
        if states.isEmpty || states.contains(record.state) { try body(record) }
      }
    }
  }

  /// The columns of the input, without those of an earlier export.
  private func ownColumns() async throws(BatchProblem) -> [String] {
    var columns = columns
    if columns.isEmpty {
      // Rows of JSON need not have the same members.
      var seen: Set<ExactString> = []
      try await forEach { record throws(BatchProblem) in
        for name in record.row.input?.keys ?? [] where seen.insert(ExactString(name)).inserted {
          columns.append(name)
        }
      }
    }
    return columns.filter { !Self.columns.contains($0) }
  }

  /// A value as a field of CSV has it.
  private static func text(_ value: JSON?) -> String {
    switch value {
    case nil, .null?: ""
    case let value?: value.string ?? value.encoded()
    }
  }

  /// A record by RFC 4180.
  private static func line(_ fields: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, field) in fields.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      let needsQuotes =
        field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        || field.utf8.first == 0x20 || field.utf8.last == 0x20
        // A record of one empty field would be an empty line, which is no record.
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
  /// A row that nobody has run.
  fileprivate init(planned row: PlannedRow) {
    let state: RowState =
      switch row.decision {
      case .run: .waiting
      case .skip: .skipped
      case .refuse: .refused
      }
    self.init(row: row, state: state, fault: nil, steps: [])
  }

  /// What is added to a row: its state, and why.
  fileprivate var own: [(name: String, value: String)] {
    var fault = fault
    if case .refuse(let refusal) = row.decision { fault = refusal }
    var cause = fault?.message ?? row.reason ?? ""
    if row.input == nil { cause = "line \(row.line): \(cause)" }
    return zip(RowExport.columns, [state.rawValue, fault?.code ?? "", cause]).map { ($0, $1) }
  }
}
