protocol LoadableStore: JournalStore {
  /// Creates a run that is not visible until its loading ends.
  func beginRun(_ kind: BatchRun.Kind, of: Int64?) throws(Failure) -> BatchRun
  /// Adds rows to a run that is being loaded; ignores duplicate numbers.
  func insert(_ planned: [PlannedRow], into run: Int64) throws(Failure)
  /// Ends the loading of a run; false if it does not have the expected number of rows.
  func endLoading(_ run: Int64, count: Int64) throws(Failure) -> Bool
  /// Removes a run whose loading did not end.
  func remove(_ run: Int64) throws(Failure)
}

extension JournalQueue where Store: LoadableStore {
  /// How many rows go into one transaction.
  private var chunkSize: Int { 4096 }

  /// Loads a run, reading its rows while earlier rows are written.
  func load(
    _ kind: BatchRun.Kind, of: Int64?,
    rows: @escaping @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> BatchRun {
    let run = try await perform { store throws(Store.Failure) in
      try store.beginRun(kind, of: of)
    }
    do throws(BatchProblem) {
      var chunk: [PlannedRow] = []
      chunk.reserveCapacity(chunkSize)
      var count: Int64 = 0
      while let row = try await rows() {
        guard (1...RowKey.largestNumber).contains(row.number) else {
          throw BatchProblem(
            .notLoaded, "the plan has a row with the number \(row.number)",
            hint: "make the plan anew with 'luath batch plan'")
        }
        chunk.append(row)
        count += 1
        guard chunk.count == chunkSize else { continue }
        try await flush()
        note(isUrgent: true) { [chunk] store throws(Store.Failure) in
          try store.insert(chunk, into: run.number)
        }
        chunk.removeAll(keepingCapacity: true)
      }
      let isWhole = try await perform { [chunk, count] store throws(Store.Failure) in
        try store.insert(chunk, into: run.number)
        return try store.endLoading(run.number, count: count)
      }
      guard isWhole else {
        throw BatchProblem(
          .notLoaded, "two rows of the plan have the same number",
          hint: "make the plan anew with 'luath batch plan'")
      }
      return run
    } catch {
      // If this fails too, the next opening of the journal removes the run.
      try? await perform { store throws(Store.Failure) in try store.remove(run.number) }
      throw error
    }
  }
}
