import Lua

/// Tasks that are not awaited: they belong to a journey, its hooks and fixtures, or the file.
extension Interpreter {
  /// The running tasks of a lifetime, without the current call and cancelled tasks; `file` includes `hooks` and `run`.
  func tasks(_ lifetime: TaskLifetime) -> [Job] { jobs.filter { isOpen($0, lifetime) } }

  private func isOpen(_ job: Job, _ lifetime: TaskLifetime) -> Bool {
    guard !job.cancelled, job !== called, job !== waitForTasks?.job else { return false }
    return job.lifetime == lifetime || lifetime == .file && job.lifetime != .journey
  }

  /// Waits until the tasks of a lifetime have ended, including those that they spawn meanwhile.
  func awaitTasks(_ lifetime: TaskLifetime, for waiting: Job?) async throws(LuaError) {
    if let waiting { waitForTasks = (waiting, lifetime) }
    defer { waitForTasks = nil }
    while let job = jobs.first(where: { isOpen($0, lifetime) }) {
      await end(of: job)
      if Task.isCancelled { throw TaskErrors.cancelled }
    }
  }

  /// Cancels the tasks that a timed-out call waits for in `awaitTasks`; none when it is doing something else.
  func cancelTasks(awaitedBy call: Job) -> [UnfinishedTasks] {
    guard let wait = waitForTasks, wait.job === call else { return [] }
    let tasks = tasks(wait.lifetime)
    let unfinished = Self.unfinished(tasks)
    for task in tasks {
      task.observed = true
      cancel(task)
    }
    return unfinished
  }

  /// Groups tasks by the line that spawned them, without those that other tasks in the list await.
  static func unfinished(_ tasks: [Job]) -> [UnfinishedTasks] {
    let awaited = Set(tasks.flatMap(\.awaited).map(ObjectIdentifier.init))
    let outer = tasks.filter { !awaited.contains(ObjectIdentifier($0)) }
    return Dictionary(grouping: outer, by: \.origin)
      .sorted { ($0.key ?? "") < ($1.key ?? "") }
      .map { origin, tasks in
        UnfinishedTasks(
          origin: origin, count: tasks.count, traceback: tasks.first?.coroutine.traceback ?? "")
      }
  }

  /// Whether a task failed without being awaited; `isLast` as in `takeUnseenFailures`.
  func hasUnseenFailures(isLast: Bool) -> Bool {
    failures.contains { !$0.observed && (isLast || !$0.lifetime.isWide) }
  }

  /// Returns the failures of tasks that were not awaited, each only once.
  ///
  /// - Parameter isLast: Whether to include tasks that outlast a journey; their failures belong to the file, whichever
  ///   journey runs when they fail.
  public func takeUnseenFailures(isLast: Bool = true) -> [ScriptFailure] {
    let unseen = failures.filter { !$0.observed && (isLast || !$0.lifetime.isWide) }
    for job in unseen { job.observed = true }
    failures.removeAll(where: \.observed)
    return unseen.compactMap(failure)
  }

  /// The failure of a task; nil when it did not fail.
  ///
  /// If the traceback contains no line of the script, the place is the line that spawned the task.
  func failure(of job: Job) -> ScriptFailure? {
    guard case .failed(let value, let traceback) = job.state else { return nil }
    var failure = describe(.value(value), traceback: traceback)
    if failure.place == nil, !Self.namesScript(failure.traceback) { failure.place = job.origin }
    return failure
  }

  /// Whether a traceback contains a line of the script, not only of C and luath's library.
  private static func namesScript(_ traceback: String) -> Bool {
    traceback.split(separator: "\n").dropFirst().contains { line in
      !["\t[C]", "\t(...", "\tluath/"].contains { line.hasPrefix($0) }
    }
  }

  /// Sets the lifetime of resources and tasks that the running job creates; returns the previous one.
  func setLifetime(_ lifetime: TaskLifetime) -> TaskLifetime {
    guard let job = currentJob else { return .journey }
    let before = job.lifetime
    job.lifetime = lifetime
    resources.keeping += (lifetime.isWide ? 1 : 0) - (before.isWide ? 1 : 0)
    return before
  }
}

/// One scheduled coroutine: the script itself, or a task.
final class Job {
  enum State {
    case ready
    case running
    case waiting
    case finished([LuaReference])
    case failed(LuaReference, traceback: String)
  }

  let coroutine: LuaCoroutine
  var state = State.ready
  /// The result of the wait, from its end until the coroutine continues.
  var answer: Result<[LuaValue], LuaError>?
  var position = 0
  var lifetime = TaskLifetime.journey
  /// `file:line` of the call that spawned the job, if the script did.
  var origin: String?
  var effect: BegunWait?
  /// The jobs that this one waits for; a cycle among them would never end.
  var awaited: [Job] = []
  /// Whether the outcome was used; otherwise a failure is reported at the end.
  var observed = false
  /// Whether the job ended while the script was not stopped.
  var endedByItself = false
  var timedOut = false
  /// Whether the job was cancelled; then each of its waits fails immediately.
  var cancelled = false
  private var watchers: [() -> Void] = []

  init(_ coroutine: LuaCoroutine) { self.coroutine = coroutine }

  var ended: Bool {
    switch state {
    case .finished, .failed: true
    default: false
    }
  }

  /// Calls `body` when the job has ended, or immediately if it has ended already.
  func whenEnded(_ body: @escaping () -> Void) {
    if ended { body() } else { watchers.append(body) }
  }

  func end(_ state: State) {
    self.state = state
    let watchers = watchers
    self.watchers = []
    for watcher in watchers { watcher() }
  }

  /// Whether this job waits for `other`, directly or through other jobs.
  func waitsFor(_ other: Job) -> Bool {
    if awaited.isEmpty { return self === other }
    var seen: Set<ObjectIdentifier> = []
    var open = [self]
    while let next = open.popLast() {
      if next === other { return true }
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      open += next.awaited
    }
    return false
  }
}

/// How long a task may run; tasks inherit the lifetime of the task that spawns them.
enum TaskLifetime: String {
  /// Until the journey's function has returned.
  case journey
  /// Until the hooks and fixtures of the journey have ended.
  case hooks
  case file
  /// Until the file has ended; for a value that other files use too.
  case run

  var isWide: Bool { self == .file || self == .run }
}

/// Tasks that one line of a script spawned and that did not end in time.
public struct UnfinishedTasks: Sendable {
  /// `file:line` of the call that spawned them or added their listener; nil when it was not in the script.
  public let origin: String?
  /// The number of tasks.
  public let count: Int
  /// The traceback of the first task.
  public let traceback: String
}

/// A one-time signal for one waiting task.
final class OneShot {
  private var continuation: UnsafeContinuation<Void, Never>?
  private var isOpen = false

  func open() {
    isOpen = true
    continuation?.resume()
    continuation = nil
  }

  func wait(_ continuation: UnsafeContinuation<Void, Never>) {
    if isOpen { continuation.resume() } else { self.continuation = continuation }
  }
}
