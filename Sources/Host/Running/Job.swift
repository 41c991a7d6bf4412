import Lua

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
