import CShims
import Synchronization

extension EventLoop {
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
