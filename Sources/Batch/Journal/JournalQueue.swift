import HTTP

/// A database that a `JournalQueue` runs on its thread.
protocol JournalStore: AnyObject, Sendable {
  /// The error type of the store's functions.
  associatedtype Failure: Error

  /// Does work in one transaction; when this returns, the writes are durable.
  ///
  /// The work is repeated from its start if the connection to the database is lost.
  func commit<Value>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value

  /// The failure as a problem for the user.
  func problem(_ failure: Failure) -> BatchProblem

  /// Closes the database; may be called more than once.
  func close()
}

/// Runs a journal on its own thread with group commit: work added during a commit goes into the next one.
final class JournalQueue<Store: JournalStore>: Sendable {
  /// A unit of work for a commit; units run in the order they were added.
  private struct Work: Sendable {
    /// Does the work, and returns a function to call once the commit is durable.
    let body: @Sendable (Store) throws(Store.Failure) -> @Sendable () -> Void
    /// Called when the commit failed.
    let fail: @Sendable (BatchProblem) -> Void
  }

  private struct State {
    var work: [Work] = []
    /// Whether the thread is about to run the work.
    var isDue = false
    /// Whether a delayed run of the work is scheduled.
    var isAwaited = false
    /// The error after which nothing is written any more.
    var failure: BatchProblem?
  }

  /// How long outcomes may wait for an intent to share a commit with.
  private static var patience: Duration { .milliseconds(50) }
  /// The number of waiting units at which they are committed at once.
  private static var limit: Int { 1024 }

  private let loop: EventLoop
  /// The store; for the loop's thread only, except for members that are thread-safe.
  let store: Store
  private let state = Guarded(State())

  /// Opens the database on the new thread.
  init(
    _ open: @escaping @Sendable () throws(Store.Failure) -> Store,
    problem: @Sendable (Store.Failure) -> BatchProblem
  ) async throws(BatchProblem) {
    loop = try EventLoop.started("luath-journal") { BatchProblem($0) }
    let loop = loop
    let opened = await withUnsafeContinuation {
      (continuation: UnsafeContinuation<Result<Store, Store.Failure>, Never>) in
      loop.perform {
        continuation.resume(
          returning: Result { () throws(Store.Failure) in try open() })
      }
    }
    switch opened {
    case .success(let store): self.store = store
    case .failure(let error):
      loop.stop()
      throw problem(error)
    }
  }

  deinit {
    loop.stop()
  }

  /// Runs work on the thread, and returns when its writes are durable.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (Store) throws(Store.Failure) -> Value
  ) async throws(BatchProblem) -> Value {
    let result = await withUnsafeContinuation {
      (continuation: UnsafeContinuation<Result<Value, BatchProblem>, Never>) in
      add(
        Work { store throws(Store.Failure) in
          let value = try body(store)
          return { continuation.resume(returning: .success(value)) }
        } fail: {
          continuation.resume(returning: .failure($0))
        }, isUrgent: true)
    }
    return try result.get()
  }

  /// Queues work, to be committed with the next urgent work or after a short delay.
  func note(
    isUrgent: Bool = false,
    _ body: @escaping @Sendable (Store) throws(Store.Failure) -> Void
  ) {
    add(
      Work { store throws(Store.Failure) in
        try body(store)
        return {}
      } fail: { _ in
      }, isUrgent: isUrgent)
  }

  /// Waits until all queued work is durable.
  func flush() async throws(BatchProblem) {
    try await perform { _ throws(Store.Failure) in }
  }

  /// Commits the queued work and closes the database; the queue cannot be used afterwards.
  func close() async {
    try? await perform { _ throws(Store.Failure) in }
    let loop = loop
    let store = store
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      loop.perform {
        self.state.withLock { state in
          if state.failure == nil { state.failure = Self.closed }
        }
        store.close()
        continuation.resume()
      }
    }
    loop.stop()
  }

  private static var closed: BatchProblem {
    BatchProblem(
      .unavailable, "the journal is closed", hint: "this is a fault of luath: please report it")
  }

  private func add(_ work: Work, isUrgent: Bool) {
    let (failure, runsNow, runsLater) = state.withLock { state -> (BatchProblem?, Bool, Bool) in
      // Fail at once, because a stopped loop would never run the work.
      if let failure = state.failure { return (failure, false, false) }
      state.work.append(work)
      guard !state.isDue else { return (nil, false, false) }
      if isUrgent || state.work.count >= Self.limit {
        state.isDue = true
        return (nil, true, false)
      }
      defer { state.isAwaited = true }
      return (nil, false, !state.isAwaited)
    }
    if let failure {
      work.fail(failure)
    } else if runsNow {
      loop.perform { self.run() }
    } else if runsLater {
      loop.perform {
        self.loop.schedule(after: Self.patience) { self.run() }
      }
    }
  }

  /// Does all queued work in one transaction.
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
      let finishes = try store.commit { () throws(Store.Failure) in
        var finishes: [@Sendable () -> Void] = []
        finishes.reserveCapacity(work.count)
        for work in work { finishes.append(try work.body(store)) }
        return finishes
      }
      for finish in finishes { finish() }
    } catch {
      // Stop here: the caches in memory may be ahead of the database.
      let problem = store.problem(error)
      state.withLock { $0.failure = problem }
      for work in work { work.fail(problem) }
    }
  }
}

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
            hint: "make the plan again with 'luath batch plan'")
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
          hint: "make the plan again with 'luath batch plan'")
      }
      return run
    } catch {
      // If this fails too, the next opening of the journal removes the run.
      try? await perform { store throws(Store.Failure) in try store.remove(run.number) }
      throw error
    }
  }
}
