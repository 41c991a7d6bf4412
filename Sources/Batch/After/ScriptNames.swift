extension BatchJournal {
  /// The names of the custom operations that the run still has to do, sorted.
  func scriptOperations(of run: BatchRun) async throws(BatchProblem) -> [String] {
    var names: Set<String> = []
    var pages = RowPages(self, run, states: [.waiting, .claimed, .failed])
    while let page = try await pages.next() {
      for record in page {
        guard case .run(let operations) = record.row.decision else { continue }
        for operation in operations { names.formUnion(operation.scriptNames) }
      }
    }
    return names.sorted()
  }
}

extension PlannedRow {
  /// The names of the custom operations in these rows, sorted.
  static func scriptOperations(
    _ next: @Sendable () async throws(BatchProblem) -> PlannedRow?
  ) async throws(BatchProblem) -> [String] {
    var names: Set<String> = []
    while let row = try await next() {
      guard case .run(let operations) = row.decision else { continue }
      for operation in operations { names.formUnion(operation.scriptNames) }
    }
    return names.sorted()
  }
}

extension Operation {
  /// The names of the custom operations that it calls.
  fileprivate var scriptNames: [String] {
    switch self {
    case .custom(let name, _, _): [name]
    case .followUp(.undo(_, let steps)):
      steps.compactMap { step in
        guard case .custom(let name, _, _) = step.change else { return nil }
        return Change.undone(name) ?? name
      }
    default: []
    }
  }
}
