import System

/// Creates the rows of a finalize run, which deletes the accounts that merges left behind.
struct Finalizing: Sendable {
  private let journal: any BatchJournal
  private let run: BatchRun
  /// Rows that earlier finalize runs have done.
  private let finished: Set<Int64>
  /// The number of rows with merges that are done but not finalized.
  let count: Int

  /// Reads which merges of a run are done, and which are already finalized.
  init(_ run: BatchRun, of journal: any BatchJournal) async throws(BatchProblem) {
    self.run = run
    self.journal = journal
    let runs = try await journal.runs()
    var finished: Set<Int64> = []
    let undone = runs.undone
    // A finalize run that was undone does not count.
    for other in runs
    where other.kind == .finalize && other.of == run.number && !undone.contains(other.number) {
      var pages = RowPages(journal, other, states: [.done])
      while let page = try await pages.next() { finished.formUnion(page.map(\.row.number)) }
    }
    self.finished = finished
    var count = 0
    var pages = RowPages(journal, run, states: [.done])
    while let page = try await pages.next() {
      for record in page where !finished.contains(record.row.number) {
        if !record.merges.isEmpty { count += 1 }
      }
    }
    self.count = count
  }

  /// A function that returns the rows one after the other, then nil.
  func rows() -> @Sendable () async throws(BatchProblem) -> PlannedRow? {
    let source = FinalizedRows(
      RowPages(journal, run, states: [.done], withSteps: true), leavingOut: finished)
    return { () async throws(BatchProblem) in try await source.next() }
  }
}

extension RowRecord {
  /// The merges of the row as finalize operations; the survivors' gains are known only if the record has steps.
  var merges: [FollowUp] {
    guard case .run(let operations) = row.decision else { return [] }
    return operations.compactMap {
      guard case .merge(let survivor, let loser, _) = $0 else { return nil }
      let gains = steps.map(\.intent.change).filter { $0.links(to: survivor) }
      return .finalize(survivor: survivor, loser: loser, gains: gains)
    }
  }
}

extension Change {
  /// Whether the change links an identity to an account.
  fileprivate func links(to uid: String) -> Bool {
    guard case .update(let other, let body) = self else { return false }
    return ExactString(other) == ExactString(uid) && body["linkProviderUserInfo"] != nil
  }
}

private actor FinalizedRows {
  private var pages: RowPages
  private var page: ArraySlice<RowRecord> = []
  private let finished: Set<Int64>

  init(_ pages: RowPages, leavingOut finished: Set<Int64>) {
    self.pages = pages
    self.finished = finished
  }

  func next() async throws(BatchProblem) -> PlannedRow? {
    while true {
      while let record = page.popFirst() {
        let merges = record.merges
        guard !merges.isEmpty, !finished.contains(record.row.number) else { continue }
        return PlannedRow(
          number: record.row.number, line: record.row.line, key: record.row.key,
          input: record.row.input,
          decision: .run(merges.map { .followUp($0) }), reason: "ends the merge")
      }
      var pages = pages
      let next = try await pages.next()
      self.pages = pages
      guard let next else { return nil }
      page = next[...]
    }
  }
}
