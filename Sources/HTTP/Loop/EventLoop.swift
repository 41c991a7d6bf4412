import System
import CShims
import Glibc
import Synchronization

/// A thread that runs Swift jobs, transfers, timers and servers.
///
/// An actor runs on it by returning its `unownedExecutor`. Then the actor, its HTTP clients, its
/// servers and Lua share one thread and need no lock. The loop sleeps while nothing is ready.
///
/// Create tasks of such actors with `Task(executorPreference: loop)`: every continuation resumes on the preferred
/// executor before it returns to its actor, and the default one is a thread of the global pool.
///
/// `stop` ends transfers, timers and servers, runs the queued jobs and ends the thread. Later jobs still run, one
/// at a time, on a thread created for them, so that no actor hangs because its loop has ended.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  // Sendable, because `shared` is a mutex, `owner` is atomic, `poller.wake` is safe from any
  // thread, and all other state belongs to the thread whose id is in `owner`.

  /// The name, also of the thread (its first 15 bytes).
  let name: String

  let shared = Guarded(Shared())
  let owner = Atomic<pthread_t>(0)
  let poller: Poller

  // The state of the loop's thread.
  var local = Queue<Work>()
  var timers = TimerQueue()
  var engine: TransferEngine?
  var servers: [HTTPServer] = []
  var isClosed = false

  /// Creates a loop, to be run by `start` or `runOnCurrentThread`.
  public init(name: String = "luath") throws(HTTPError) {
    // Writing to a closed connection must return an error instead of ending the process.
    _ = Self.ignoreBrokenPipes
    self.name = name
    poller = try Poller()
  }

  deinit {
    let thread = shared.withLock { state in
      state.isJoined ? nil : state.thread
    }
    if let thread { pthread_detach(thread) }
  }

  private static let ignoreBrokenPipes: Void = {
    var action = sigaction()
    // Keep a handler that the program has set itself.
    guard sigaction(SIGPIPE, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil
    else { return }
    signal(SIGPIPE, SIG_IGN)
  }()

  // MARK: Starting and stopping

  /// A loop that runs on its own thread; throws the error that `failure` makes of the system's.
  public static func started<Failure: Error>(
    _ name: String, _ failure: (HTTPError) -> Failure
  ) throws(Failure) -> EventLoop {
    do throws(HTTPError) {
      let loop = try EventLoop(name: name)
      try loop.start()
      return loop
    } catch {
      throw failure(error)
    }
  }

  /// Starts the loop on its own thread, with a stack large enough for deep Lua recursion.
  ///
  /// After `stop` this has no effect.
  public func start() throws(HTTPError) {
    let mayStart = shared.withLock { state in
      precondition(state.phase == .new || state.isStopping, "an event loop can be started once")
      guard state.phase == .new else { return false }
      state.phase = .starting
      return true
    }
    guard mayStart else { return }
    let thread: pthread_t
    do throws(SystemError) {
      thread = try SystemThread.start(name: name, stackBytes: 64 << 20, isJoinable: true) {
        [self] in
        runOnCurrentThread()
      }
    } catch {
      shared.withLock { $0.phase = .new }
      throw HTTPError(
        .internalFailure, "the system refused a thread for the event loop \(name)",
        hint: "raise the limits of processes and of memory")
    }
    shared.withLock { $0.thread = thread }
  }

  /// Runs the loop on the calling thread until it is stopped.
  func runOnCurrentThread() {
    let mayRun = shared.withLock { state in
      precondition(state.phase <= .starting || state.isStopping, "an event loop can be run once")
      guard state.phase <= .starting else { return false }
      state.phase = .running
      return true
    }
    guard mayRun else { return }
    owner.store(pthread_self(), ordering: .releasing)
    while turn() {}
  }

  /// Asks the loop to end; safe from any thread and more than once.
  ///
  /// Transfers and sleeps end with a cancellation, servers stop, queued jobs still run.
  public func stop() {
    let (mustWake, isUnborn) = shared.withLock { state in
      state.isStopping = true
      let isUnborn = state.phase == .new
      if isUnborn { state.phase = .ended }
      return (state.takeWakeUp(), isUnborn)
    }
    if mustWake { poller.wake() }
    // A loop that never ran is closed by its first late job, which is this one.
    if isUnborn { submit(.call { self.closeAll() }) }
  }

  /// Waits for the end of the thread made by `start`; call it from another thread.
  public func join() {
    precondition(!isOnThread, "an event loop cannot wait for its own end")
    let thread = shared.withLock { state -> pthread_t? in
      guard !state.isJoined else { return nil }
      state.isJoined = true
      return state.thread
    }
    if let thread { pthread_join(thread, nil) }
  }

  /// The thread that runs the loop; 0 when it is not running.
  public var pthread: UInt { owner.load(ordering: .acquiring) }

  /// Whether the caller is on the loop's thread.
  public var isOnThread: Bool { owner.load(ordering: .relaxed) == pthread_self() }

  // MARK: Executor

  /// Queues an actor's job on this loop.
  public func enqueue(_ job: consuming ExecutorJob) { submit(.job(UnownedJob(job))) }

  /// Traps when the caller is not on the loop's thread.
  public func checkIsolated() {
    precondition(isOnThread, "this belongs to the thread of the event loop \(name)")
  }

  /// Whether the caller is on the loop's thread; makes `assumeIsolated` work in C callbacks.
  public func isIsolatingCurrentContext() -> Bool? { isOnThread }

  /// Runs a closure on the loop's thread, after the queued work.
  public func perform(_ body: @escaping @Sendable () -> Void) { submit(.call(body)) }

  // MARK: Timers

  /// Runs a closure after a delay, on the loop's thread.
  ///
  /// Call it on that thread, or before the loop runs. Timers that are not due when the loop stops never fire.
  @discardableResult
  public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken {
    schedule(after: delay, TimerQueue.Action(fire: body, abandon: nil))
  }

  /// Cancels a timer; returns false when it has already fired.
  @discardableResult
  public func cancel(_ token: TimerToken) -> Bool {
    requireThread()
    return timers.cancel(token)
  }

  func schedule(after delay: Duration, _ action: TimerQueue.Action) -> TimerToken {
    requireThread()
    return timers.add(due: MonotonicTime.now.advanced(by: delay), action)
  }

  /// Traps unless the caller may use the state of the loop's thread.
  func requireThread() {
    let owner = owner.load(ordering: .relaxed)
    precondition(
      owner == 0 || owner == pthread_self(),
      "this belongs to the thread of the event loop \(name)")
  }

  /// Runs one turn: jobs, timers, transfers, servers, then waits; false when the loop has ended.
  func turn() -> Bool {
    takeIncoming()
    runQueuedWork()
    let now = MonotonicTime.now
    while let action = timers.takeDue(at: now) { action.fire() }
    engine?.advance(now)
    for server in servers where server.mustRun(at: now) { server.run() }

    if shared.withLock({ $0.isStopping }) {
      closeAll()
      if end() { return false }
    }

    poller.wait(nanoseconds: timeToSleep()) { source in
      switch source {
      case .transfer(let socket, let readable, let writable, let failed):
        engine?.socketIsReady(socket, readable: readable, writable: writable, failed: failed)
      case .server(let socket):
        for server in servers where server.pollDescriptor == socket {
          server.run()
          break
        }
      case .end(let socket):
        // The descriptor may belong to another socket by now.
        guard luath_server_has_ended(socket) else { break }
        for server in servers { server.streams[socket]?.fail() }
      }
    }
    engine?.collect()
    return true
  }

  private func takeIncoming() {
    shared.withLock { state in
      state.isAsleep = false
      guard !state.incoming.isEmpty else { return }
      local.append(contentsOf: state.incoming)
      state.incoming.removeAll(keepingCapacity: true)
    }
  }

  /// Nanoseconds until the next deadline; nil when there is none.
  private func timeToSleep() -> Int64? {
    guard local.isEmpty, engine?.mustLaunch != true else { return 0 }
    var next = timers.next
    if let deadline = engine?.deadline { next = min(next ?? deadline, deadline) }
    for server in servers {
      if let deadline = server.deadline { next = min(next ?? deadline, deadline) }
    }
    let left = next.map { $0.nanoseconds - MonotonicTime.now.nanoseconds }
    if let left, left <= 0 { return 0 }
    let mayWait = shared.withLock { state in
      state.isAsleep = state.incoming.isEmpty && !state.isStopping
      return state.isAsleep
    }
    return mayWait ? left : 0
  }

  /// Ends all timers, transfers and servers.
  func closeAll() {
    guard !isClosed else { return }
    isClosed = true
    for action in timers.takeAll() { action.abandon?() }
    engine?.close()
    engine = nil
    for server in servers { server.stop() }
  }

  private func end() -> Bool {
    guard local.isEmpty else { return false }
    return shared.withLock { state in
      guard state.incoming.isEmpty else { return false }
      state.phase = .ended
      owner.store(0, ordering: .releasing)
      return true
    }
  }
}

/// A stateless actor, for code that must run on a loop.
public actor LoopActor {
  /// The loop this actor runs on.
  public nonisolated let loop: EventLoop

  /// The loop as the executor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Creates an actor on a loop.
  public init(_ loop: EventLoop) { self.loop = loop }

  /// Runs a closure on the loop's thread, where it may create and await clients and servers.
  public func run<Value: Sendable, Failure: Error>(
    _ body: @Sendable (isolated LoopActor) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    // The preference keeps awaits inside on the loop's thread.
    try await withTaskExecutorPreference(loop) { () async throws(Failure) in try await body(self) }
  }
}
