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
    withSteps: Bool = false, size: Int = 500
  ) {
    self.journal = journal
    self.run = run
    self.size = size
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
