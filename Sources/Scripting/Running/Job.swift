import Lua

/// One scheduled coroutine: the script itself, or a function it runs beside itself.
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
  /// What the wait gave, from its end until the coroutine takes it.
  var answer: Result<[LuaValue], LuaError>?
  /// Its place among the interpreter's jobs that have not ended.
  var position = 0
  /// How long it may go on.
  var lifetime = TaskLifetime.journey
  /// `file:line` of the call that spawned it, if the script did.
  var origin: String?
  /// The work the job waits for.
  var effect: BegunWait?
  /// Jobs this one waits for: a circle among these would never end.
  var awaited: [Job] = []
  /// Whether somebody took the outcome, so that a failure is not lost.
  var observed = false
  /// Whether it ended while the script was not stopped.
  var endedByItself = false
  /// Whether a time limit cancelled it.
  var timedOut = false
  /// Once cancelled, every wait of the job fails at once.
  var cancelled = false
  private var watchers: [() -> Void] = []

  init(_ coroutine: LuaCoroutine) { self.coroutine = coroutine }

  var ended: Bool {
    switch state {
    case .finished, .failed: true
    default: false
    }
  }

  /// Calls `body` when the job has ended.
  func whenEnded(_ body: @escaping () -> Void) {
    if ended { body() } else { watchers.append(body) }
  }

  func end(_ state: State) {
    self.state = state
    let watchers = watchers
    self.watchers = []
    for watcher in watchers { watcher() }
  }

  /// Whether `other` can be reached over the jobs this one waits for.
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
