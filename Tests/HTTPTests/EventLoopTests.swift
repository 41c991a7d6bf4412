import Glibc
@testable import HTTP
import Synchronization
import Testing

/// Counts without a lock, which is only right when its executor runs one job at a time.
private actor Counter {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private(set) var count = 0

  init(_ loop: EventLoop) { self.loop = loop }

  func increment() { count += 1 }

  func isOnLoop() -> Bool { loop.isOnThread }

  func pingPong(_ other: Counter, _ times: Int) async {
    for _ in 0..<times { await other.increment() }
  }

  nonisolated func countFromCallback() -> Int { assumeIsolated { $0.count } }
}

@Suite(.timeLimit(.minutes(1))) struct EventLoopTests {
  @Test func `an actor runs on the loop's thread and nowhere else`() async throws {
    try await withLoop { loop in
      let counter = Counter(loop)
      #expect(await counter.isOnLoop())
      #expect(!loop.isOnThread)
      #expect(loop.pthread != 0)
      let other = LoopActor(loop)
      let thread = await other.run { actor in
        #expect(actor.loop.isOnThread)
        return pthread_self()
      }
      #expect(thread == loop.pthread)
    }
  }

  @Test func `ten thousand jobs from several threads all run one at a time`() async throws {
    try await withLoop { loop in
      let counter = Counter(loop)
      await withTaskGroup { group in
        for _ in 0..<8 {
          group.addTask { for _ in 0..<1250 { await counter.increment() } }
        }
        for _ in 0..<2000 { group.addTask { await counter.increment() } }
      }
      #expect(await counter.count == 12_000)
    }
  }

  @Test func `two actors of one loop call each other`() async throws {
    try await withLoop { loop in
      let one = Counter(loop)
      let other = Counter(loop)
      await one.pingPong(other, 10_000)
      #expect(await other.count == 10_000)
    }
  }

  @Test func `isolation can be assumed in a callback on the loop's thread`() async throws {
    try await withLoop { loop in
      let counter = Counter(loop)
      await counter.increment()
      let seen = await withCheckedContinuation { continuation in
        loop.perform {
          // A timer is no job of the actor, as a C callback is none.
          loop.schedule(after: .zero) {
            continuation.resume(returning: counter.countFromCallback())
          }
        }
      }
      #expect(seen == 1)
    }
  }

  @Test func `isolation may not be assumed elsewhere`() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      try loop.start()
      _ = Counter(loop).countFromCallback()
    }
  }

  @Test func `timers fire in order of their time and cancelled ones never`() async throws {
    try await withLoop { loop in
      let fired = await LoopActor(loop).run { _ in
        let record = Record()
        await withUnsafeContinuation { (done: UnsafeContinuation<Void, Never>) in
          // Made in the order they are due, so that a pause of this thread cannot swap them.
          var cancelled: [TimerToken] = []
          for delay in [0, 3, 3, 6, 9] {
            loop.schedule(after: .milliseconds(delay)) { record.values.append(delay) }
            cancelled.append(
              loop.schedule(after: .milliseconds(delay)) { record.values.append(-1) })
          }
          for token in cancelled { loop.cancel(token) }
          loop.schedule(after: .milliseconds(12)) { done.resume() }
        }
        return record.values
      }
      #expect(fired == [0, 3, 3, 6, 9])
    }
  }

  @Test func `a sleep lasts at least its time`() async throws {
    try await withLoop { loop in
      let time = await ContinuousClock().measure {
        try? await loop.sleep(for: .milliseconds(30))
      }
      #expect(time >= .milliseconds(30))
    }
  }

  @Test func `sleeps overlap and end early when cancelled`() async throws {
    try await withLoop { loop in
      // One after the other, these would end in a week.
      let cancelled = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<200 {
          group.addTask {
            do {
              try await loop.sleep(for: .seconds(3600))
              return false
            } catch {
              return true
            }
          }
        }
        group.cancelAll()
        return await group.reduce(into: 0) { count, ended in count += ended ? 1 : 0 }
      }
      #expect(cancelled == 200)
    }
  }

  @Test func `stopping ends sleeps, and later jobs still run one at a time`() async throws {
    let loop = try EventLoop(name: "stopping")
    try loop.start()
    let counter = Counter(loop)
    let sleeper = Task { try await loop.sleep(for: .seconds(3600)) }
    // The sleep is queued before or after the stop; both must end it.
    loop.stop()
    loop.stop()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    loop.join()
    loop.join()
    // No look at the thread here: the sleeper's last work may be on the one made for late jobs.
    await withTaskGroup { group in
      for _ in 0..<1000 { group.addTask { await counter.increment() } }
    }
    #expect(await counter.count == 1000)
    await #expect(throws: CancellationError.self) { try await loop.sleep(for: .seconds(1)) }
  }

  @Test func `a loop that never ran runs its jobs once it is stopped`() async throws {
    let loop = try EventLoop()
    let counter = Counter(loop)
    let waiting = Task { await counter.increment() }
    loop.stop()
    try loop.start()
    await waiting.value
    #expect(await counter.count == 1)
    await #expect(throws: CancellationError.self) { try await loop.sleep(for: .seconds(3600)) }
  }

  @Test func `the loop runs on the calling thread when asked to`() async throws {
    let loop = try EventLoop(name: "a name longer than a thread's")
    let counter = Counter(loop)
    async let counted: Void = counter.increment()
    let thread = Thread { loop.runOnCurrentThread() }
    await counted
    #expect(await counter.isOnLoop())
    loop.stop()
    thread.join()
  }

  @Test func `an idle loop uses no processor time`() async throws {
    try await withLoop { loop in
      await LoopActor(loop).run { _ in #expect(loop.isOnThread) }
      try await waitUntilAsleep(loop)
    }
  }

  @Test func `loops come and go without keeping descriptors`() async {
    // In a process of its own, because other tests open descriptors meanwhile.
    await #expect(processExitsWith: .success) {
      func round() async throws {
        try await withLoop { loop in
          try await LoopActor(loop).run { _ throws in
            let server = try HTTPServer(loop: loop) { _ in .now(ServerResponse()) }
            let url = try #require(WebURL("http://127.0.0.1:\(server.port)/"))
            let status = try await HTTPClient(loop: loop).send(HTTPRequest(url: url)).status
            precondition(status == 200)
          }
        }
      }
      try await round()
      let before = openDescriptors()
      for _ in 0..<50 { try await round() }
      precondition(openDescriptors() == before, "\(before) grew to \(openDescriptors())")
    }
  }
}

private final class Record { var values: [Int] = [] }
