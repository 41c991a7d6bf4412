import System
import HTTP
import Synchronization

/// Receives the rows of a plan in number order; used on the planner's thread.
protocol PlanSink: AnyObject {
  /// Begins the plan, before any row.
  ///
  /// - Parameter modules: The files of the script's modules with their digests, as in `PlanHeader`.
  func begin(modules: [String: String]) throws(BatchProblem)

  /// Adds a row; throws an error of this row or of an earlier one.
  func add(_ row: FinishedRow) throws(BatchProblem)

  /// Whether the sink accepts more rows without exceeding its buffer.
  var hasRoom: Bool { get }

  /// Calls `wake` once, from any thread, when there is room or an error occurred.
  func whenThereIsRoom(_ wake: @escaping @Sendable () -> Void)
}

/// Checks rows for conflicts and writes them on a separate thread, while the planner's thread plans the next rows.
///
/// Call its functions on the planner's thread only.
// Sendable, because only the loop's thread uses `writer` and `book`, and a mutex guards the state both threads use.
final class PlanRecorder: PlanSink, @unchecked Sendable {
  private struct State {
    /// The number of rows handed over but not yet written.
    var waiting = 0
    var problem: BatchProblem?
    /// Called when there is room again.
    var wake: (@Sendable () -> Void)?
  }

  /// How many rows are handed over at once.
  private static let chunkSize = 256
  /// The maximum number of rows waiting to be written, which limits memory use.
  private static let mostWaiting = 16 * chunkSize

  private let loop: EventLoop
  private var file: OutputFile?
  private var header: PlanHeader
  private var writer: PlanWriter?
  private var book = PlanBook()
  private let progress: RowProgress
  private let state = Mutex(State())
  private var chunk: [FinishedRow] = []

  /// Creates a plan file; `progress` is updated as rows are written.
  init(
    path: String, header: PlanHeader, progress: RowProgress
  ) throws(BatchProblem) {
    self.progress = progress
    self.header = header
    loop = try EventLoop.started("plan-file") { BatchProblem($0) }
    do throws(BatchProblem) {
      file = try OutputFile(path: path)
    } catch {
      loop.stop()
      throw error
    }
  }

  deinit { loop.stop() }

  func begin(modules: [String: String]) throws(BatchProblem) {
    guard let file = self.file.take() else { preconditionFailure("a plan is begun once") }
    header.modules = modules
    writer = try PlanWriter(file, header: header)
  }

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
      progress.note(rows: book.summary.rows, faults: book.summary.refused)
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

  /// Writes the remaining rows and the last line, and moves the file to its final path; without rows there is no file.
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

  /// Discards the file; does nothing after `finish`.
  func abandon() async {
    try? await onLoop { recorder throws(BatchProblem) in
      (recorder.file, recorder.writer) = (nil, nil)
    }
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
