import Host
import SignIn
import Synchronization

/// The progress of work on many rows, which Ctrl-C ends early; thread-safe.
final class RowProgress: Sendable {
  private let read = Atomic<Int64>(0)
  private let done = Atomic<Int64>(0)
  private let striking = Atomic<Int64>(0)
  private let cancelled = Atomic<Bool>(false)

  /// The number of rows so far.
  var rows: Int64 { done.load(ordering: .relaxed) }
  /// The number of rows so far that are not as wished, such as refused ones.
  var faults: Int64 { striking.load(ordering: .relaxed) }
  /// Whether the work is to end.
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Requests that the work ends early.
  func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// Counts rows of the journal that are read before the work begins.
  func note(read rows: Int) { read.add(Int64(rows), ordering: .relaxed) }

  /// Counts such rows.
  ///
  /// - Throws: If the work is to end, before it has changed anything.
  func read(_ rows: Int) throws(BatchProblem) {
    note(read: rows)
    guard !isCancelled else {
      throw BatchProblem(.interrupted, "interrupted: nothing was changed", hint: "run it again")
    }
  }

  func note(rows: Int64, faults: Int64) {
    done.store(rows, ordering: .relaxed)
    striking.store(faults, ordering: .relaxed)
  }

  /// Does the work with a line about it on a terminal, and ends it at the first Ctrl-C.
  ///
  /// - Parameters:
  ///   - words: What was done with the rows, such as `planned`.
  ///   - faults: What is striking about some, such as `refused`; nil to leave it out.
  func show<Value>(
    _ console: Console, _ words: String, faults: String? = nil,
    while work: () async throws(BatchProblem) -> Value
  ) async throws(BatchProblem) -> Value {
    Interrupts.watch(InterruptibleRows(progress: self, console: console))
    let line = Task { await self.show(console, words, faults) }
    do throws(BatchProblem) {
      let value = try await work()
      line.cancel()
      await line.value
      return value
    } catch {
      line.cancel()
      await line.value
      throw error
    }
  }

  /// Displays the progress on a terminal, as a line that is overwritten.
  private func show(_ console: Console, _ words: String, _ faults: String?) async {
    guard console.terminal?.isInteractive == true else { return }
    var last: Int64 = 0
    while (try? await Task.sleep(for: .milliseconds(500))) != nil {
      let (read, rows) = (read.load(ordering: .relaxed), rows)
      let striking = faults.map { ", \(self.faults) \($0)" } ?? ""
      let line =
        rows == 0 && read > 0
        ? "\(BatchDisplay.rows(read)) of the journal read"
        : "\(BatchDisplay.rows(rows)) \(words)\(striking), \((rows - last) * 2) a second"
      console.writeError("\r\u{1B}[K\(line)")
      last = rows
    }
    clear(console)
  }

  /// Removes the line from a terminal, before other output.
  func clear(_ console: Console) {
    if console.terminal?.isInteractive == true { console.writeError("\r\u{1B}[K") }
  }
}

private struct InterruptibleRows: Interruptible {
  let progress: RowProgress
  let console: Console

  func interrupt() async { progress.cancel() }

  func drop() { console.abandon(.interrupted, "") }
}
