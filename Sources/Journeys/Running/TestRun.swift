import HTTP
import Host
import SignIn
import Storage
import Synchronization
import System

/// A test run: its workers, from the first file to the last.
final class TestRun: Sendable {
  let hub: EventHub
  let settings: RunSettings
  let tally: RunTally
  let board = SharedRunState()
  private let snapshots: SnapshotBook?
  let makePlace: @Sendable () async throws(RunProblem) -> WorkerTarget
  private let read: @Sendable (String) -> [UInt8]?
  private let abandon: @Sendable (_ exit: Int) -> Void
  /// The reading of the files, before journeys run.
  let reading = Mutex<FileReading?>(nil)
  private let source = Mutex<(any FileSource)?>(nil)
  private let isGivenUp = Atomic<Bool>(false)
  private let workers = Mutex<[(worker: Worker, current: CurrentFile)]>([])

  /// Prepares a run that posts its events to a hub.
  ///
  /// - Parameter abandon: Ends the process, because a script cannot be stopped. All events are
  ///   posted by then.
  /// - Parameter read: Returns the content of a script, for the source lines in failures.
  /// - Parameter snapshots: The snapshots of the run; nil for a run without journeys.
  init(
    _ settings: RunSettings, hub: EventHub, snapshots: SnapshotBook? = nil,
    read: @escaping @Sendable (String) -> [UInt8]?,
    abandon: @escaping @Sendable (_ exit: Int) -> Void = { _ in },
    makePlace: @escaping @Sendable () async throws(RunProblem) -> WorkerTarget
  ) {
    self.abandon = abandon
    self.settings = settings
    self.hub = hub
    self.snapshots = snapshots
    self.read = read
    self.makePlace = makePlace
    tally = RunTally(maximumFailures: settings.maximumFailures)
  }

  /// Runs the journeys of the files and returns the exit code of the process.
  ///
  /// - Parameters:
  ///   - shared: The files, if other processes run some of them.
  ///   - whole: All journeys, if every one is to run, so that unused snapshots are obsolete.
  func run(
    _ files: [PlannedFile], sharedBy shared: SharedFiles? = nil, whole: WholeRun? = nil
  ) async throws(RunProblem) -> Int {
    let source: any FileSource = shared ?? FileQueue(files, workers: settings.jobs)
    self.source.withLock { $0 = source }
    let count = max(1, min(settings.jobs, source.count))
    for number in 1...count {
      let loop = try Self.loop("worker \(number)")
      let place = try await makePlace()
      let worker = Worker(
        number: number, loop: loop, place: place, hub: hub, board: board, snapshots: snapshots,
        tally: tally, settings: settings, read: read, stuck: { [unowned self] in giveUp($0) })
      workers.withLock { $0.append((worker, CurrentFile())) }
    }
    let all = workers.withLock { $0 }
    let finishLine = Barrier(workers: all.count)
    await withTaskGroup { group in
      for (worker, current) in all {
        group.addTask { await worker.run(source, current, finishLine) }
      }
    }
    for (worker, _) in all { await worker.end() }
    await shared?.leave()
    let state = tally.now
    var exit = exitCode(state)
    if let problem = shared?.problem {
      hub.post(.log(LogEvent(level: .warning, text: "\(problem.message); \(problem.hint)")))
      if exit != 130 { exit = 4 }
    }
    if let whole, !state.wasInterrupted { findObsolete(whole, files) }
    hub.post(.runEnd(end(state, exit)))
    return exit
  }

  private func findObsolete(_ whole: WholeRun, _ files: [PlannedFile]) {
    let problems =
      snapshots?.findObsolete(declared: whole.declared, chosen: files, folders: whole.folders) ?? []
    for problem in problems {
      hub.post(.log(LogEvent(level: .warning, text: "\(problem.message); \(problem.hint)")))
    }
  }

  private func end(_ state: RunTally.State, _ exit: Int) -> RunEnd {
    let journeys = source.withLock(\.self)?.journeys ?? []
    return RunEnd(
      duration: hub.now, counts: state.counts, exit: exit, wasInterrupted: state.wasInterrupted,
      notRun: journeys.filter { !state.ended.contains($0) },
      snapshots: snapshots?.summary)
  }

  static func loop(_ name: String) throws(RunProblem) -> EventLoop {
    try EventLoop.started(name) { RunProblem($0.message, hint: $0.hint) }
  }

  private func exitCode(_ state: RunTally.State) -> Int {
    if state.wasInterrupted { return 130 }
    if state.hasFailed { return 1 }
    if settings.failsOnFlaky, state.counts[.flaky, default: 0] > 0 { return 1 }
    return state.unloadedFiles > 0 ? 3 : 0
  }

  /// Ends the current journeys early and begins no other.
  ///
  /// Their cleanup still runs.
  func interrupt() {
    tally.interrupt()
    settings.pausePrompt?.end()
    reading.withLock(\.self)?.interrupt()
    for (worker, current) in workers.withLock({ $0 }) { current.interrupt(on: worker.loop) }
  }

  /// Ends the run and the process, because a script runs code that cannot be stopped.
  func giveUp(_ worker: Worker?) {
    guard !isGivenUp.exchange(true, ordering: .relaxed) else { return }
    worker?.giveUp()
    let state = tally.now
    let exit = state.wasInterrupted ? 130 : 6
    hub.post(.runEnd(end(state, exit)))
    abandon(exit)
  }
}

/// The journeys of a run that selects none of them.
struct WholeRun: Sendable {
  /// All journeys of the files.
  let declared: [PlannedFile]
  /// The folders that were searched for files.
  let folders: [String]
}

struct RunSettings: Sendable {
  /// The time limit of one attempt; its cleanup has the same limit again.
  var timeout: Duration = .seconds(60)
  /// The memory limit of a file's Lua state, as `--memory` has it; nil without one.
  var memory: String?
  /// How often a failed journey is retried.
  var retries = 0
  /// The number of parallel workers.
  var jobs = 1
  /// The seed of all random values.
  var seed: Int64 = 0
  /// The accounts of a real project that journeys may use: `email`, `password` or `missing`, `providers`.
  var accounts: [JSON] = []
  /// Which exchanges become events.
  var trace = TraceMode.automatic
  /// When the pages that scripts drive are recorded; nil: only when a script asks.
  var pages: PageRecorder.Moment? = .failure
  /// After this many failed journeys no further one begins.
  var maximumFailures: Int?
  /// Whether a flaky journey makes the run fail.
  var failsOnFlaky = false
  /// When journeys pause by themselves; nil for never.
  var pauses: PauseMode?
  /// Opens the prompt for pauses; nil where nobody can answer.
  var pausePrompt: (any PausePrompt)?
  /// Whether to do everything except run the journeys.
  var isDry = false
}

/// When journeys pause by themselves.
enum PauseMode: String, Sendable {
  /// When they have failed, before their hooks and fixtures end.
  case failure
  /// Before each step.
  case step
}

/// Why the journeys cannot be run at all.
struct RunProblem: Error, Sendable {
  /// What is wrong.
  let message: String
  /// The places that the message concerns, one per line.
  let excerpt: String
  /// What to do.
  let hint: String?
  /// The exit code of the process.
  let exit: Int32

  /// Creates a problem; the default exit code 4 means the machine or the network.
  init(_ message: String, excerpt: String = "", hint: String?, exit: Int32 = 4) {
    self.message = message
    self.excerpt = excerpt
    self.hint = hint
    self.exit = exit
  }
}
