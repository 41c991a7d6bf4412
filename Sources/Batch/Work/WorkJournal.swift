import Synchronization
import System

/// A journal that an engine keeps: what is recorded becomes a line of output, and is durable once the engine has
/// acknowledged it.
///
/// Rows come from the engine with the lines of earlier deliveries; the process itself keeps nothing.
final class WorkJournal: RowJournal {
  /// A row that was delivered and has not ended.
  private struct Delivery {
    let row: WorkRow
    var isClaimed = false
    /// The outcomes of its steps.
    var results: [Int: StepOutcome.Result]
  }

  /// A line that waits for its acknowledgement.
  private struct Waiter {
    let continuation: CheckedContinuation<Result<Void, BatchProblem>, Never>
    let sentAt: ContinuousClock.Instant
  }

  private struct State {
    var hello: WorkHello?
    var helloWaiter: CheckedContinuation<Result<WorkHello, BatchProblem>, Never>?
    /// The lines before the answer to hello, which are sent behind it; nil once it is sent.
    var early: [JSON]? = []
    /// The number of the last line of the engine.
    var line: Int64 = 0
    var deliveries: [Int64: Delivery] = [:]
    /// The delivered rows that nobody has claimed, in their order.
    var pending: [Int64] = []
    var claimer: CheckedContinuation<Void, Never>?
    /// The `seq` of the last line that waits or has waited.
    var number: Int64 = 0
    var waiters: [Int64: Waiter] = [:]
    /// When the last acknowledged line was sent.
    var confirmedAt = ContinuousClock.now
    /// Rows that this process has done.
    var done: Set<Int64> = []
    /// Whether the engine has said that no further row comes.
    var isFed = false
    /// Whether this process begins no further row.
    var isClosed = false
    /// Whether the run ends, so that acknowledgements are not waited for without a limit.
    var isEnding = false
    /// Whether the engine has closed its end, so that nothing can be acknowledged any more.
    var isDeaf = false
    var problem: BatchProblem?
  }

  let reader: WorkReader
  private let write: @Sendable (JSON) -> Void
  /// For how long after an acknowledged line this process is sure that it still has its rows.
  private let lease: Duration
  /// How long an acknowledgement may take once the run is ending.
  private let patience: Duration
  private let isConnected: @Sendable () -> Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - isConnected: Whether the engine can still send and read lines.
  ///   - write: Queues a line for the engine; called while a lock is held.
  init(
    _ reader: WorkReader, lease: Duration = .seconds(15), patience: Duration = .seconds(10),
    isConnected: @escaping @Sendable () -> Bool = { true },
    write: @escaping @Sendable (JSON) -> Void
  ) {
    self.reader = reader
    self.lease = lease
    self.patience = patience
    self.isConnected = isConnected
    self.write = write
  }

  /// Answers the engine's hello, and then its rows.
  func open(_ hello: WorkHello) {
    state.withLock { state in
      write(WorkLine.hello(hello, isUndo: reader.isUndo, isEncrypted: codec.key != nil))
      for line in state.early ?? [] { write(line) }
      state.early = nil
    }
  }

  private func send(_ line: JSON, _ state: inout State) {
    let line = codec.sealed(line, run: reader.run.number)
    if state.early?.append(line) == nil { write(line) }
  }

  private var codec: JournalCodec { reader.codec }

  // MARK: What the engine sends

  /// Waits for the first line of the engine.
  func hello() async throws(BatchProblem) -> WorkHello {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<WorkHello, BatchProblem>, Never>) in
      state.withLock { state in
        if let hello = state.hello {
          continuation.resume(returning: .success(hello))
        } else if let problem = state.problem {
          continuation.resume(returning: .failure(problem))
        } else {
          state.helloWaiter = continuation
        }
      }
    }
    return try result.get()
  }

  /// Takes a line of the engine; one that does not follow the protocol ends the run.
  func take(_ text: [UInt8]) {
    let line = state.withLock { state in
      state.line += 1
      return state.line
    }
    do throws(RowFailure) {
      let message = try reader.message(text)
      try state.withLock { (state) throws(RowFailure) in try take(message, &state) }
    } catch {
      fail(
        BatchProblem(
          .usage, "line \(line) of standard input is not of the protocol: \(error.message)",
          hint: "luath doc guides/engines describes the protocol"))
    }
  }

  private func take(_ message: WorkMessage, _ state: inout State) throws(RowFailure) {
    if case .hello(let hello) = message {
      guard state.hello == nil else { throw RowFailure("", "there was a hello already") }
      state.hello = hello
      state.helloWaiter.take()?.resume(returning: .success(hello))
      return
    }
    guard let hello = state.hello else { throw RowFailure("", "the first line must be hello") }
    switch message {
    case .hello: break
    case .row(let row):
      let number = row.claimed.row.number
      guard !state.isFed else { throw RowFailure("", "a row follows finish") }
      guard !state.isClosed, !state.isDeaf else { return send(WorkLine.released(number), &state) }
      guard state.deliveries[number] == nil else {
        return send(
          WorkLine.refused(
            number, RowFailure("inProgress", "this process has the row already")), &state)
      }
      if let name = Self.ownOperations(of: row).first(where: { !hello.operations.contains($0) }) {
        return send(
          WorkLine.refused(
            number,
            RowFailure("unknownOperation", "'operations' of hello does not have '\(name)'")), &state
        )
      }
      var results: [Int: StepOutcome.Result] = [:]
      for step in row.claimed.steps { results[step.intent.step] = step.outcome?.result }
      state.deliveries[number] = Delivery(row: row, results: results)
      state.pending.append(number)
      state.claimer.take()?.resume()
    case .refused(let row, let fault): send(WorkLine.refused(row, fault), &state)
    case .ended(let row, let end): send(WorkLine.end(row, end), &state)
    case .ack(let number):
      guard number <= state.number else {
        throw RowFailure("", "no line has the seq \(number)")
      }
      guard let waiter = state.waiters.removeValue(forKey: number) else { return }
      state.confirmedAt = max(state.confirmedAt, waiter.sentAt)
      waiter.continuation.resume(returning: .success(()))
    case .finish:
      state.isFed = true
      state.claimer.take()?.resume()
    }
  }

  /// The names of the row's custom operations.
  private static func ownOperations(of row: WorkRow) -> [String] {
    guard case .run(let operations) = row.claimed.row.decision else { return [] }
    return operations.flatMap(\.scriptNames)
  }

  /// The engine has closed its end: rows that need another acknowledgement cannot go on.
  func inputEnded() {
    state.withLock { state in
      state.isDeaf = true
      if state.hello == nil {
        Self.fail(
          BatchProblem(
            .usage, "standard input ended without a line", hint: "see luath batch work --help"),
          &state)
      } else if !state.waiters.isEmpty {
        Self.fail(Self.gone, &state)
      }
      state.claimer.take()?.resume()
    }
  }

  /// Ends the run with a problem: nothing is begun or recorded any more.
  func fail(_ problem: BatchProblem) { state.withLock { Self.fail(problem, &$0) } }

  private static func fail(_ problem: BatchProblem, _ state: inout State) {
    if state.problem == nil { state.problem = problem }
    for waiter in state.waiters.values { waiter.continuation.resume(returning: .failure(problem)) }
    state.waiters = [:]
    state.claimer.take()?.resume()
    state.helloWaiter.take()?.resume(returning: .failure(problem))
  }

  private static var gone: BatchProblem {
    BatchProblem(
      .unavailable, "the engine has closed standard input or output, so no further call is made",
      hint: again)
  }

  private static let again = "deliver the released rows again, with their records"

  /// Begins no further row; without a hello, the run ends.
  func interrupt() {
    state.withLock { state in
      state.isClosed = true
      if state.hello == nil {
        Self.fail(
          BatchProblem(
            .interrupted, "it was ended before the engine sent hello", hint: "start it again"),
          &state)
      }
      state.claimer.take()?.resume()
    }
  }

  /// Why nothing can be recorded any more.
  var problem: BatchProblem? { state.withLock(\.problem) }

  /// The rows that this process works on.
  var claimedRows: [Int64] {
    state.withLock { $0.deliveries.filter(\.value.isClaimed).keys.sorted() }
  }

  /// Releases all rows that have not ended, and returns their number.
  func releaseAll() -> Int {
    state.withLock { state in
      let rows = state.deliveries.keys.sorted()
      for row in rows { send(WorkLine.released(row), &state) }
      state.deliveries = [:]
      state.pending = []
      state.isClosed = true
      return rows.count
    }
  }

  // MARK: What the executor needs

  func claim(_ run: BatchRun, atMost count: Int) async throws(BatchProblem) -> [ClaimedRow] {
    while true {
      let rows: Result<[ClaimedRow]?, BatchProblem> = state.withLock { state in
        if let problem = state.problem { return .failure(problem) }
        if state.isClosed || state.isDeaf { return .success([]) }
        guard !state.pending.isEmpty else { return .success(state.isFed ? [] : nil) }
        let numbers = state.pending.prefix(count)
        state.pending.removeFirst(numbers.count)
        for number in numbers { state.deliveries[number]?.isClaimed = true }
        return .success(numbers.compactMap { state.deliveries[$0]?.row.claimed })
      }
      if let rows = try rows.get() { return rows }
      await withCheckedContinuation { continuation in
        state.withLock { state in
          if state.pending.isEmpty, state.problem == nil, !state.isFed, !state.isClosed,
            !state.isDeaf
          {
            state.claimer = continuation
          } else {
            continuation.resume()
          }
        }
      }
    }
  }

  func endClaims() {
    let waiting = state.withLock { state in
      state.isClosed = true
      state.claimer.take()?.resume()
      defer { state.isEnding = true }
      return state.isEnding ? [] : Array(state.waiters.keys)
    }
    for number in waiting { limit(number) }
  }

  /// Ends the run unless a line is acknowledged soon.
  private func limit(_ number: Int64) {
    Task { [patience] in
      try? await Task.sleep(for: patience)
      state.withLock { state in
        guard state.waiters[number] != nil else { return }
        Self.fail(
          BatchProblem(
            .unavailable,
            "the engine has not acknowledged a line within \(Int(patience / .seconds(1))) s, and the run ends",
            hint: Self.again), &state)
      }
    }
  }

  func release(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem) {
    state.withLock { state in
      for row in rows where state.deliveries.removeValue(forKey: row) != nil {
        send(WorkLine.released(row), &state)
      }
    }
  }

  func reopen(_ run: BatchRun, _ rows: [Int64]) async throws(BatchProblem) {
    state.withLock { state in
      for row in rows { send(WorkLine.released(row), &state) }
    }
  }

  func intend(_ run: BatchRun, _ intent: StepIntent) async throws(BatchProblem) {
    try await acknowledged { [codec] number in
      WorkLine.intent(intent, number: number, run: run.number, codec)
    }
    state.withLock { $0.deliveries[intent.row]?.results[intent.step] = nil }
  }

  func settle(
    _ run: BatchRun, _ outcome: StepOutcome?, row: Int64, end: RowState?, fault: RowFailure?
  ) {
    let key = RowKey(run: run.number, number: row)
    let ending = end.map { WorkLine.end($0, fault, of: key, codec) }
    state.withLock { state in
      if let outcome {
        state.deliveries[row]?.results[outcome.step] = outcome.result
        send(WorkLine.outcome(outcome, end: ending, run: run.number, codec), &state)
      } else if let ending {
        send(WorkLine.end(row, ending), &state)
      }
      guard let end else { return }
      state.deliveries[row] = nil
      if end == .done { state.done.insert(row) }
    }
  }

  /// Outcomes need no acknowledgement: the account shows one that is lost, or the step is in doubt.
  func flush() async throws(BatchProblem) {
    if let problem { throw problem }
  }

  func forget(
    _ run: BatchRun, row: Int64
  ) async throws(BatchProblem) -> [StepOutcome.Result] {
    try await acknowledged { WorkLine.forget(row, number: $0) }
    return state.withLock { state in
      defer { state.deliveries[row]?.results = [:] }
      return state.deliveries[row].map { Array($0.results.values) } ?? []
    }
  }

  func isDone(_ run: BatchRun, row: Int64, for other: Int64) async throws(BatchProblem) -> Bool {
    state.withLock { state in
      state.done.contains(row) || state.deliveries[other]?.row.done.contains(row) ?? false
    }
  }

  var hasFreshLease: Bool {
    state.withLock { $0.confirmedAt.duration(to: .now) < lease }
  }

  func confirmOwnership() async throws(BatchProblem) {
    let rows = claimedRows
    try await acknowledged { WorkLine.confirm(rows, number: $0) }
  }

  func checkContact() throws(BatchProblem) {
    if let problem { throw problem }
    guard !state.withLock(\.isDeaf), isConnected() else { throw Self.gone }
  }

  /// The rows that were delivered; the engine counts the others.
  func tally(_ run: BatchRun) async throws(BatchProblem) -> BatchTally {
    BatchTally(rows: [.waiting: state.withLock { Int64($0.deliveries.count) }])
  }

  /// Sends a line, and waits until the engine has acknowledged it.
  private func acknowledged(
    _ line: @Sendable (_ number: Int64) -> JSON
  ) async throws(BatchProblem) {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Void, BatchProblem>, Never>) in
      state.withLock { state in
        if let problem = state.problem ?? (state.isDeaf ? Self.gone : nil) {
          return continuation.resume(returning: .failure(problem))
        }
        state.number += 1
        state.waiters[state.number] = Waiter(continuation: continuation, sentAt: .now)
        send(line(state.number), &state)
        if state.isEnding { limit(state.number) }
      }
    }
    try result.get()
  }
}
