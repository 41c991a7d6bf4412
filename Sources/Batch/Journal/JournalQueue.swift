import HTTP

/// A database that a `JournalQueue` has a thread for.
protocol JournalStore: AnyObject, Sendable {
  /// What its functions throw.
  associatedtype Failure: Error

  /// Does work as a whole or not at all; when this returns, what was written is durable.
  ///
  /// The work is done again from its beginning when the database was lost meanwhile.
  func commit<Value>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value

  /// A failure as the person is told.
  func problem(_ failure: Failure) -> BatchProblem

  /// Gives the database up; more than once does no harm.
  func close()
}

/// The thread of a journal: what many tasks hand in while a commit waits for the disk goes into the next one.
final class JournalQueue<Store: JournalStore>: Sendable {
  /// Something to be done in a commit, in the order it was handed in.
  private struct Work: Sendable {
    /// Does it, and gives what is to be done when the commit is durable.
    let body: @Sendable (Store) throws(Store.Failure) -> @Sendable () -> Void
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
  private static var patience: Duration { .milliseconds(50) }
  /// So many of them do not wait any longer.
  private static var limit: Int { 1024 }

  private let loop: EventLoop
  /// For its own thread, but for what is made for others.
  let store: Store
  private let state = Guarded(State())

  /// Opens the database on the thread that will have it.
  init(
    _ open: @escaping @Sendable () throws(Store.Failure) -> Store,
    problem: @Sendable (Store.Failure) -> BatchProblem
  ) async throws(BatchProblem) {
    do {
      loop = try EventLoop(name: "luath-journal")
      try loop.start()
    } catch {
      throw BatchProblem(.unavailable, error.message, hint: error.hint)
    }
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

  /// Does something on the thread and returns when what it wrote is durable.
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

  /// Does something on the thread, at the latest together with what is handed in next.
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

  /// Returns when everything is durable that was handed in.
  func flush() async throws(BatchProblem) {
    try await perform { _ throws(Store.Failure) in }
  }

  /// Writes what was handed in and gives the file up; nothing can be done afterwards.
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
      // A loop that has stopped would keep what it is to do for ever.
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
      let finishes = try store.commit { () throws(Store.Failure) in
        var finishes: [@Sendable () -> Void] = []
        finishes.reserveCapacity(work.count)
        for work in work { finishes.append(try work.body(store)) }
        return finishes
      }
      for finish in finishes { finish() }
    } catch {
      // What is in memory may be ahead of the database now.
      let problem = store.problem(error)
      state.withLock { $0.failure = problem }
      for work in work { work.fail(problem) }
    }
  }
}
