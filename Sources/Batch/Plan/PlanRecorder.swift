import Encoding
import HTTP
import Synchronization

/// Takes the rows of a plan in the order of their numbers; used on the thread of its planner.
public protocol PlanSink: AnyObject {
  /// Adds a row; throws what was wrong with this one or with those before it.
  func add(_ row: FinishedRow) throws(BatchProblem)

  /// Whether it keeps up.
  var hasRoom: Bool { get }

  /// Calls `wake` once, from any thread, when there is room or something is wrong.
  func whenThereIsRoom(_ wake: @escaping @Sendable () -> Void)
}

/// Judges and writes the rows of a plan on a thread of its own, while the script plans those behind them.
///
/// Its functions are called on one thread, that of the planner.
// Sendable, because `writer` and `book` are touched by the loop's thread only, and what both threads use is guarded.
final class PlanRecorder: PlanSink, @unchecked Sendable {
  private struct State {
    /// Rows that were handed over and are not written.
    var waiting = 0
    var problem: BatchProblem?
    /// Is called when there is room again.
    var wake: (@Sendable () -> Void)?
  }

  /// How many rows are handed over in one go.
  private static let chunkSize = 256
  /// So many rows may wait for the disk, which bounds the memory.
  private static let mostWaiting = 16 * chunkSize

  private let loop: EventLoop
  private var writer: PlanWriter?
  private var book = PlanBook()
  private let progress: PlanProgress
  private let state = Mutex(State())
  private var chunk: [FinishedRow] = []

  /// Begins a plan file; `progress` hears of each row that is in it.
  init(
    path: String, header: PlanHeader, progress: PlanProgress
  ) throws(BatchProblem) {
    self.progress = progress
    do throws(HTTPError) {
      loop = try EventLoop(name: "plan-file")
      try loop.start()
    } catch {
      throw BatchProblem(.unavailable, error.message, hint: error.hint)
    }
    do throws(BatchProblem) {
      writer = try PlanWriter(path: path, header: header)
    } catch {
      loop.stop()
      throw error
    }
  }

  deinit { loop.stop() }

  var hasRoom: Bool { state.withLock { $0.waiting < Self.mostWaiting } }

  func whenThereIsRoom(_ wake: @escaping @Sendable () -> Void) {
    let isNow = state.withLock { state in
      if state.waiting < Self.mostWaiting || state.problem != nil { return true }
      state.wake = wake
      return false
    }
    if isNow { wake() }
  }

  func add(_ row: FinishedRow) throws(BatchProblem) {
    chunk.append(row)
    if chunk.count == Self.chunkSize { try handOver() }
  }

  private func handOver() throws(BatchProblem) {
    let rows = chunk
    chunk = []
    chunk.reserveCapacity(Self.chunkSize)
    let problem = state.withLock { state in
      state.waiting += rows.count
      return state.problem
    }
    if let problem { throw problem }
    loop.perform { self.write(rows) }
  }

  private func write(_ rows: [FinishedRow]) {
    var problem: BatchProblem?
    do throws(BatchProblem) {
      for row in rows { try writer?.add(book.enter(row)) }
      progress.note(done: book.summary.rows, refused: book.summary.refused)
    } catch {
      problem = error
      writer = nil
    }
    let wake = state.withLock { state in
      state.waiting -= rows.count
      state.problem = state.problem ?? problem
      return state.waiting < Self.mostWaiting / 2 || problem != nil ? state.wake.take() : nil
    }
    wake?()
  }

  /// Writes what is left and the last line, and gives the file its name; without rows there is none.
  func finish() async throws(BatchProblem) -> (summary: PlanSummary, plan: CheckedPlan?) {
    try handOver()
    return try await onLoop { recorder throws(BatchProblem) in
      if let problem = recorder.state.withLock({ $0.problem }) { throw problem }
      guard let writer = recorder.writer.take() else {
        preconditionFailure("a plan is finished once")
      }
      let summary = recorder.book.summary
      return (summary, summary.rows > 0 ? try writer.finish() : nil)
    }
  }

  /// Leaves no file behind; does nothing after `finish`.
  func abandon() async {
    try? await onLoop { recorder throws(BatchProblem) in recorder.writer = nil }
  }

  private func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (PlanRecorder) throws(BatchProblem) -> Value
  ) async throws(BatchProblem) -> Value {
    try await withUnsafeContinuation {
      (continuation: UnsafeContinuation<Result<Value, BatchProblem>, Never>) in
      loop.perform {
        continuation.resume(returning: Result { () throws(BatchProblem) in try body(self) })
      }
    }.get()
  }
}
