import Host
import Synchronization
import System

/// The reading of files for the list of the live view.
///
/// Files that take long to read are read on while other work is done.
final class ListReading: Sendable {
  private struct State {
    var run: TestRun?
    /// The names of the files that are still being read, after the others were shown.
    var rest: Set<String>?
    var problem: CommandFailure?
    var isOver = false
    var isInterrupted = false
    var waiters: [CheckedContinuation<Void, Never>] = []

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      defer { waiters = [] }
      return waiters
    }
  }

  private let state = Mutex(State())
  /// Receives files, and which of the listed files they replace.
  private let take: @Sendable ([PlannedFile], _ isReplaced: (String) -> Bool, RunSecrets) -> Void
  private let paths: Set<String>?

  /// - Parameter paths: The files to read; nil for all.
  init(
    of paths: [String]?,
    take: @escaping @Sendable ([PlannedFile], _ isReplaced: (String) -> Bool, RunSecrets) -> Void
  ) {
    self.paths = paths.map(Set.init)
    self.take = take
  }

  // MARK: For the command that reads

  func begin(_ run: TestRun) {
    let isInterrupted = state.withLock { state in
      state.run = run
      return state.isInterrupted
    }
    if isInterrupted { run.interrupt() }
  }

  /// Shows the files that were read.
  ///
  /// - Parameter rest: The names of those that are still being read.
  func show(_ files: [PlannedFile], rest: Set<String> = [], _ secrets: RunSecrets) {
    let shown = state.withLock(\.rest)
    take(
      shown.map { shown in files.filter { shown.contains($0.script.name) } } ?? files,
      { [paths] name in
        shown?.contains(name) ?? (paths?.contains(name) ?? true && !rest.contains(name))
      }, secrets)
    guard !rest.isEmpty else { return }
    let waiters = state.withLock { state in
      state.rest = rest
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Ends the reading.
  ///
  /// - Parameter problem: Why nothing was read.
  func end(_ problem: CommandFailure?) {
    let waiters = state.withLock { state in
      state.isOver = true
      state.problem = problem
      state.run = nil
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  // MARK: For the live view

  var isOver: Bool { state.withLock(\.isOver) }

  /// Waits until all files are shown but slow ones, and returns why there are none.
  func wait() async -> CommandFailure? {
    await wait { $0.isOver || $0.rest != nil }
    return state.withLock(\.problem)
  }

  /// Whether one of these files is still being read; nil stands for all files.
  func reads(_ files: Set<String>?) -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      guard let files, let rest = state.rest else { return true }
      return !rest.isDisjoint(with: files)
    }
  }

  /// Ends the reading without a result, and waits for its end.
  func interrupt() async {
    let run = state.withLock { state in
      state.isInterrupted = true
      return state.run
    }
    run?.interrupt()
    await wait(\.isOver)
  }

  private func wait(_ holds: @Sendable (State) -> Bool) async {
    await withCheckedContinuation { waiter in
      let isThere = state.withLock { state in
        if !holds(state) { state.waiters.append(waiter) }
        return holds(state)
      }
      if isThere { waiter.resume() }
    }
  }
}
