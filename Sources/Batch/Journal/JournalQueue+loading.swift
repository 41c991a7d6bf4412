/// A store that runs can be loaded into.
protocol LoadableStore: JournalStore {
  /// A new run that is not there yet for anybody else.
  func beginRun(_ kind: BatchRun.Kind, of: Int64?) throws(Failure) -> BatchRun
  /// Adds rows to a run that is being loaded; a number that is there already is passed over.
  func insert(_ planned: [PlannedRow], into run: Int64) throws(Failure)
  /// Ends the loading of a run that should have so many rows; false when it has not.
  func endLoading(_ run: Int64, count: Int64) throws(Failure) -> Bool
  /// Takes away a run that was not loaded to its end.
  func remove(_ run: Int64) throws(Failure)
}

extension JournalQueue where Store: LoadableStore {
  /// How many rows are written in one transaction while a run is loaded.
  private var chunkSize: Int { 4096 }

  /// Loads a run, whose rows are read while those before them are written.
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
      // If this fails too, the next opening does it.
      try? await perform { store throws(Store.Failure) in try store.remove(run.number) }
      throw error
    }
  }
}
