import Host
import Synchronization
import System

/// Which journeys to run from the live view.
enum LiveSelection: Sendable, Equatable {
  case all
  /// Those that failed in their latest run.
  case failed
  /// Those of files that were saved since they ran last.
  case changed
  /// These, by their ids, and all of these files.
  case journeys([String], files: [String])
  /// Those of one file.
  case file(String)

  /// Reads the body of a request; nil when it selects nothing.
  init?(_ json: JSON) {
    switch json["select"]?.string {
    case "all": self = .all
    case "failed": self = .failed
    case "changed": self = .changed
    case "journeys":
      let ids = json["journeys"]?.array?.compactMap(\.string) ?? []
      let files = json["files"]?.array?.compactMap(\.string) ?? []
      guard !ids.isEmpty || !files.isEmpty else { return nil }
      self = .journeys(ids, files: files)
    case "file":
      guard let file = json["file"]?.string else { return nil }
      self = .file(file)
    default: return nil
    }
  }
}

/// The state of the live view that its server and its runs share, and the commands of its pages.
final class LiveControl: Sendable {
  enum Command: Sendable {
    case run(LiveSelection)
    /// Files were saved.
    case saved([String])
    case quit
  }

  private struct State {
    enum Phase: String {
      case idle, running, stopping
      /// The view shows a finished run and can start none.
      case finished
    }

    var phase: Phase
    var runsOnSave = false
    /// When the journeys of the run in progress began, in milliseconds since 1970.
    var began: Int64?
    var changedFiles = 0
    /// Whether the saved files affect all journeys.
    var changesAll = false
    /// The files that take long to read, and how to end their reading, by who reads them.
    var slow: [ObjectIdentifier: (files: [String], stop: @Sendable () -> Void)] = [:]
    var exit: Int32?
    var problem: (message: String, hint: String?)?
  }

  /// The commands in order; one is handled at a time.
  let commands: AsyncStream<Command>
  private let queue: AsyncStream<Command>.Continuation
  private let log: LiveLog
  private let state: Mutex<State>

  /// Creates the state of a view that can run journeys, or of one that shows a finished run.
  init(_ log: LiveLog, isFinished: Bool = false) {
    self.log = log
    (commands, queue) = AsyncStream.makeStream()
    state = Mutex(State(phase: isFinished ? .finished : .idle))
    change { _ in }
  }

  /// Whether to run journeys again when their files change.
  var runsOnSave: Bool { state.withLock(\.runsOnSave) }

  var isBusy: Bool { state.withLock { $0.phase == .running || $0.phase == .stopping } }

  /// Whether a page has asked to stop the run in progress.
  var isStopping: Bool { state.withLock { $0.phase == .stopping } }

  var canRun: Bool { state.withLock { $0.phase != .finished } }

  // MARK: For pages

  /// Queues a run; false when another one is not over yet.
  func run(_ selection: LiveSelection) -> Bool {
    guard begin() else { return false }
    queue.yield(.run(selection))
    return true
  }

  /// Ends the run in progress, as the first Ctrl-C would; without one, the reading of slow files.
  func stop() async {
    let (isRunning, stops) = change { state in
      guard state.phase == .running else { return (false, state.slow.values.map(\.stop)) }
      state.phase = .stopping
      return (true, [])
    }
    if isRunning { await Interrupts.endWork() }
    for stop in stops { stop() }
  }

  func setRunsOnSave(_ isOn: Bool) { change { $0.runsOnSave = isOn } }

  // MARK: For the runs

  /// Claims the view for a run; false when another one has it.
  func begin() -> Bool {
    change { state in
      guard state.phase == .idle else { return false }
      state.phase = .running
      state.began = nil
      state.problem = nil
      return true
    }
  }

  /// Ends a run.
  ///
  /// - Parameter exit: Its exit code; nil when nothing was run.
  func end(exit: Int32?) {
    change { state in
      state.phase = .idle
      state.exit = exit ?? state.exit
    }
  }

  /// Shows why journeys cannot be run or listed; nil removes the last message.
  func show(_ problem: CommandFailure?) {
    change { $0.problem = problem.map { (message: $0.message, hint: $0.hint) } }
  }

  /// Shows that the journeys of the run begin.
  func showBegin() { change { $0.began = Timestamp.now } }

  func showChanged(_ count: Int, isAll: Bool) {
    change { state in
      state.changedFiles = count
      state.changesAll = isAll
    }
  }

  /// Shows which files take long to read.
  func showSlow(
    _ files: [String], of reader: ObjectIdentifier, stop: @escaping @Sendable () -> Void
  ) {
    change { $0.slow[reader] = files.isEmpty ? nil : (files, stop) }
  }

  func saved(_ files: [String]) { queue.yield(.saved(files)) }

  func quit() { queue.yield(.quit) }

  /// Changes the state, and posts it under the lock, so that pages receive states in order.
  @discardableResult
  private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    state.withLock { state in
      let value = body(&state)
      var members: [(String, JSON)] = [
        ("phase", .string(state.phase.rawValue)), ("runsOnSave", .bool(state.runsOnSave)),
        ("changedFiles", .integer(Int64(state.changedFiles))),
        ("changesAll", .bool(state.changesAll)),
        ("slow", .array(Set(state.slow.values.flatMap(\.files)).sorted().map(JSON.string))),
      ]
      if let began = state.began { members.append(("began", .integer(began))) }
      if let exit = state.exit { members.append(("exit", .integer(Int64(exit)))) }
      if let problem = state.problem {
        members.append(("problem", .string(problem.message.printable)))
        members.append(("hint", problem.hint.map { .string($0.printable) } ?? .null))
      }
      log.post("state", .object(JSONObject(members)))
      return value
    }
  }
}
