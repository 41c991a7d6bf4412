extension RowDescription {
  /// Reads the row with a number in the input; nil if the run does not have it.
  init?(
    _ number: Int64, of run: BatchRun, _ journal: any BatchJournal
  ) async throws(BatchProblem) {
    guard run.kind == .undo else {
      var query = RowQuery()
      query.withSteps = true
      let found = try await journal.rows(run, query, after: number - 1, atMost: 1)
      guard let record = found.first, record.row.number == number else { return nil }
      self.init(record, of: run)
      return
    }
    var pages = RowPages(journal, run, withSteps: true)
    while let page = try await pages.next() {
      guard let record = page.first(where: { $0.row.origin == number }) else { continue }
      self.init(record, of: run)
      return
    }
    return nil
  }
}
