import HTTP
import Journal

/// The thread of a journal: what many tasks hand in while a commit waits for the disk goes into the next one.
final class JournalQueue: Sendable {
  /// Something to be done in a commit, in the order it was handed in.
  private struct Work: Sendable {
    /// Does it, and gives what is to be done when the commit is durable.
    let body: @Sendable (SQLiteTables) throws(JournalError) -> @Sendable () -> Void
    /// Is told when there is no such commit.
    let fail: @Sendable (BatchProblem) -> Void
  }

  private struct State {
    var work: [Work] = []
    /// Whether the thread will look at the work soon.
    var isDue = false
    /// Whether the thread will look at it after a while.
    var isAwaited = false
    /// Why nothing is written any more.
    var failure: BatchProblem?
  }

  /// How long outcomes may wait for an intent to share a commit with.
  private static let patience = Duration.milliseconds(50)
  /// So many of them do not wait any longer.
  private static let limit = 1024

  private let loop: EventLoop
  private let tables: SQLiteTables
  private let state = Guarded(State())

  /// Opens the file, or makes it; both on a thread of its own.
  init(path: String) async throws(BatchProblem) {
    do {
      loop = try EventLoop(name: "luath-journal")
      try loop.start()
    } catch {
      throw BatchProblem(.unavailable, error.message, hint: error.hint)
    }
    let loop = loop
    let opened = await withUnsafeContinuation {
      (continuation: UnsafeContinuation<Result<SQLiteTables, JournalError>, Never>) in
      loop.perform {
        continuation.resume(
          returning: Result { () throws(JournalError) in try SQLiteTables(path: path) })
      }
    }
    switch opened {
    case .success(let tables): self.tables = tables
    case .failure(let error):
      loop.stop()
      throw BatchProblem(error)
    }
  }

  deinit {
    loop.stop()
  }

  /// Does something on the thread and returns when what it wrote is durable.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (SQLiteTables) throws(JournalError) -> Value
  ) async throws(BatchProblem) -> Value {
    let result = await withUnsafeContinuation {
      (continuation: UnsafeContinuation<Result<Value, BatchProblem>, Never>) in
      add(
        Work { tables throws(JournalError) in
          let value = try body(tables)
          return { continuation.resume(returning: .success(value)) }
        } fail: {
          continuation.resume(returning: .failure($0))
        }, isUrgent: true)
    }
    return try result.get()
  }

  /// Does something on the thread, at the latest together with what is handed in next.
  func note(
    isUrgent: Bool = false,
    _ body: @escaping @Sendable (SQLiteTables) throws(JournalError) -> Void
  ) {
    add(
      Work { tables throws(JournalError) in
        try body(tables)
        return {}
      } fail: { _ in
      }, isUrgent: isUrgent)
  }

  /// Returns when everything is durable that was handed in.
  func flush() async throws(BatchProblem) {
    try await perform { _ throws(JournalError) in }
  }

  /// Writes what was handed in and gives the file up; nothing can be done afterwards.
  func close() async {
    try? await perform { _ throws(JournalError) in }
    let loop = loop
    let tables = tables
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      loop.perform {
        self.state.withLock { state in
          if state.failure == nil { state.failure = Self.closed }
        }
        tables.database.close()
        continuation.resume()
      }
    }
    loop.stop()
  }

  private static let closed = BatchProblem(
    .unavailable, "the journal is closed", hint: "this is a fault of luath: please report it")

  private func add(_ work: Work, isUrgent: Bool) {
    let (runsNow, runsLater) = state.withLock { state in
      state.work.append(work)
      guard !state.isDue else { return (false, false) }
      if isUrgent || state.work.count >= Self.limit {
        state.isDue = true
        return (true, false)
      }
      defer { state.isAwaited = true }
      return (false, !state.isAwaited)
    }
    if runsNow {
      loop.perform { self.run() }
    } else if runsLater {
      loop.perform {
        self.loop.schedule(after: Self.patience) { self.run() }
      }
    }
  }

  /// Does all that waits in one transaction.
  private func run() {
    let (work, failure) = state.withLock { state in
      defer {
        state.work = []
        state.isDue = false
        state.isAwaited = false
      }
      return (state.work, state.failure)
    }
    guard !work.isEmpty else { return }
    if let failure { return work.forEach { $0.fail(failure) } }
    do {
      for finish in try commit(work) { finish() }
    } catch {
      tables.database.rollback()
      // What is in memory may be ahead of the file now.
      let problem = BatchProblem(error)
      state.withLock { $0.failure = problem }
      for work in work { work.fail(problem) }
    }
  }

  private func commit(_ work: [Work]) throws(JournalError) -> [@Sendable () -> Void] {
    try tables.database.begin()
    var finishes: [@Sendable () -> Void] = []
    finishes.reserveCapacity(work.count)
    for work in work { finishes.append(try work.body(tables)) }
    // Rows in a file that nobody can find again would be lost.
    guard !tables.database.hasMoved else { throw tables.database.file.moved }
    try tables.database.commit()
    return finishes
  }
}

extension BatchProblem {
  /// What a journal's file could not do.
  init(_ error: JournalError) {
    switch error.code {
    case .inUse:
      self.init(
        .inUse, error.message,
        hint: "see how far it is with 'luath batch status', end it with 'luath batch ctl … drain', "
          + "or wait for it: the same command then goes on")
    case .foreign, .newer, .unusablePath: self.init(.usage, error.message, hint: error.hint)
    case .damaged, .readOnly, .full, .moved, .inputOutput, .internalFailure:
      self.init(.unavailable, error.message, hint: error.hint)
    }
  }
}
