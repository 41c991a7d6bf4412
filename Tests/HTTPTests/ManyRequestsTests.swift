@testable import HTTP
import Testing

/// What a client does with more requests than it sends at the same time.
@Suite(.timeLimit(.minutes(1))) struct ManyRequestsTests {
  /// How many requests a loop sends at the same time.
  private static let limit = 256
  private static let count = 1000

  /// A server that answers a request when the test wants it to.
  private final class HeldServer: Sendable {
    private struct State {
      var arrivals: [Int] = []
      var answers: [Int: CheckedContinuation<Void, Never>] = [:]
      var waiter: (count: Int, continuation: CheckedContinuation<[Int], Never>)?
      var isOver = false
    }

    private let state = Guarded(State())

    /// Takes a request, whose number is its path, and answers it after `release`.
    func answer(_ request: HTTPRequest) async -> ServerResponse {
      let number = Int(request.url.path.dropFirst()) ?? -1
      await withCheckedContinuation { answer in
        let waiter = state.withLock { state in
          state.arrivals.append(number)
          if state.isOver {
            answer.resume()
          } else {
            // A request whose connection was lost comes again.
            state.answers.updateValue(answer, forKey: number)?.resume()
          }
          guard let waiter = state.waiter, waiter.count == state.arrivals.count
          else { return nil as (() -> Void)? }
          let arrivals = state.arrivals
          state.waiter = nil
          return { waiter.continuation.resume(returning: arrivals) }
        }
        waiter?()
      }
      return ServerResponse(status: 200)
    }

    /// The numbers of the requests so far, once there are so many.
    func arrivals(_ count: Int) async -> [Int] {
      await withCheckedContinuation { continuation in
        let arrivals = state.withLock { state in
          if state.arrivals.count < count { state.waiter = (count, continuation) }
          return state.arrivals
        }
        if arrivals.count >= count { continuation.resume(returning: arrivals) }
      }
    }

    func release(_ number: Int) {
      state.withLock { $0.answers.removeValue(forKey: number) }?.resume()
    }

    /// Answers all requests that come and came.
    func end() {
      state.withLock { $0.isOver = true }
      releaseAll()
    }

    func releaseAll() {
      let answers = state.withLock { state in
        defer { state.answers = [:] }
        return state.answers
      }
      for answer in answers.values { answer.resume() }
    }
  }

  /// Results of requests, in the order they came; used on the client's loop.
  private final class Results {
    private(set) var all: [Int: Result<HTTPResponse, HTTPError>] = [:]
    private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    func add(_ number: Int, _ result: Result<HTTPResponse, HTTPError>) {
      all[number] = result
      guard let waiter, waiter.count == all.count else { return }
      self.waiter = nil
      waiter.continuation.resume()
    }

    func wait(for count: Int, isolation: isolated (any Actor)? = #isolation) async {
      await withCheckedContinuation { continuation in
        if all.count >= count { continuation.resume() } else { waiter = (count, continuation) }
      }
    }
  }

  /// Runs a test on the loop of a client, with a server on another one.
  private func withServer(
    _ body:
      @Sendable (isolated LoopActor, HTTPClient, HeldServer, _ origin: String) async throws ->
      Void
  ) async throws {
    let held = HeldServer()
    try await withLoop { serverLoop in
      let port = try await LoopActor(serverLoop).run { _ throws in
        try HTTPServer(loop: serverLoop) { request in
          .later { await held.answer(request) }
        }.port
      }
      try await withLoop { loop in
        try await LoopActor(loop).run { actor throws in
          actor.loop.engine = try TransferEngine(loop: actor.loop, maximumActive: Self.limit)
          try await body(actor, HTTPClient(loop: loop), held, "http://127.0.0.1:\(port)")
        }
      }
      held.end()
    }
  }

  private static func request(
    _ number: Int, _ origin: String, timeout: Duration = .seconds(50)
  ) throws -> HTTPRequest {
    HTTPRequest(url: try #require(WebURL("\(origin)/\(number)")), timeout: timeout)
  }

  @Test func `a request fails at once when too many wait`() async throws {
    try await withServer { actor, client, held, origin in
      actor.loop.engine = try TransferEngine(
        loop: actor.loop, maximumActive: Self.limit, maximumWaiting: 10)
      let results = Results()
      for number in 0..<(Self.limit + 12) {
        _ = client.begin(try Self.request(number, origin)) { results.add(number, $0) }
      }
      await results.wait(for: 2)
      for number in [Self.limit + 10, Self.limit + 11] {
        guard case .failure(let error) = results.all[number] else {
          Issue.record("request \(number) did not fail")
          continue
        }
        #expect(error.message.hasSuffix("was not sent: 10 others wait for their turn"))
      }
      _ = await held.arrivals(Self.limit)
      held.end()
      await results.wait(for: Self.limit + 12)
      #expect(results.all.values.count { (try? $0.get()) != nil } == Self.limit + 10)
    }
  }

  @Test func `requests start in the order they were made, and newcomers do not overtake`()
    async throws
  {
    try await withServer { _, client, held, origin in
      let results = Results()
      var made = 0
      func begin() throws {
        let number = made
        made += 1
        _ = client.begin(try Self.request(number, origin)) { result in
          results.add(number, result)
          // As a script does that sends its next request when it has an answer.
          if made < Self.count + 200 { try? begin() }
        }
      }
      for _ in 0..<Self.count { try begin() }
      #expect(Set(await held.arrivals(Self.limit)) == Set(0..<Self.limit))
      for next in Self.limit..<(Self.count + 200) {
        held.release(next - Self.limit)
        let arrivals = await held.arrivals(next + 1)
        try #require(arrivals.last == next)
        try #require(arrivals.count == next + 1)
      }
      held.releaseAll()
      await results.wait(for: Self.count + 200)
      #expect(results.all.values.allSatisfy { (try? $0.get().status) == 200 })
    }
  }

  @Test func `cancelled requests do not start any more`() async throws {
    try await withServer { _, client, held, origin in
      let results = Results()
      var sendings: [Sending] = []
      for number in 0..<Self.count {
        sendings.append(
          client.begin(try Self.request(number, origin)) { results.add(number, $0) })
      }
      _ = await held.arrivals(Self.limit)
      for sending in sendings { sending.cancel() }
      await results.wait(for: Self.count)
      for result in results.all.values {
        guard case .failure(let error) = result, error.code == .cancelled else {
          Issue.record("\(result)")
          return
        }
      }
      _ = client.begin(try Self.request(Self.count, origin)) { results.add(Self.count, $0) }
      let arrivals = await held.arrivals(Self.limit + 1)
      #expect(Set(arrivals) == Set(0..<Self.limit).union([Self.count]))
      held.release(Self.count)
      await results.wait(for: Self.count + 1)
    }
  }

  @Test func `waiting requests start when those before them are cancelled`() async throws {
    try await withServer { _, client, held, origin in
      let results = Results()
      var sendings: [Sending] = []
      for number in 0..<(2 * Self.limit) {
        sendings.append(
          client.begin(try Self.request(number, origin)) { results.add(number, $0) })
      }
      _ = await held.arrivals(Self.limit)
      for sending in sendings.prefix(Self.limit) { sending.cancel() }
      let arrivals = await held.arrivals(2 * Self.limit)
      #expect(Set(arrivals.suffix(Self.limit)) == Set(Self.limit..<(2 * Self.limit)))
      held.releaseAll()
      await results.wait(for: 2 * Self.limit)
    }
  }

  @Test func `the wait for its turn counts for a request's timeout and duration`() async throws {
    try await withServer { _, client, held, origin in
      let results = Results()
      for number in 0..<Self.limit {
        _ = client.begin(try Self.request(number, origin)) { results.add(number, $0) }
      }
      _ = await held.arrivals(Self.limit)
      let clock = ContinuousClock()
      let patient = Self.limit, impatient = Self.limit + 1
      _ = client.begin(try Self.request(patient, origin)) { results.add(patient, $0) }
      let begun = clock.now
      _ = client.begin(try Self.request(impatient, origin, timeout: .milliseconds(50))) {
        results.add(impatient, $0)
      }
      await results.wait(for: 1)
      guard case .failure(let error) = results.all[impatient] else {
        Issue.record("the request was answered")
        return
      }
      #expect(error.code == .timedOut)
      #expect(error.message.contains("waited 50 ms for its turn behind other requests"))
      let waited = begun.duration(to: clock.now)
      held.release(0)
      _ = await held.arrivals(Self.limit + 1)
      held.releaseAll()
      await results.wait(for: Self.limit + 2)
      let response = try #require(try results.all[patient]?.get())
      #expect(response.duration >= waited)
      let timings = try #require(response.timings)
      #expect(.microseconds(timings.blocked ?? 0) + .microseconds(1) >= waited)
    }
  }

  @Test func `tasks of other threads end once, however early they are cancelled`() async throws {
    try await withServer { _, client, held, origin in
      nonisolated(unsafe) let shared = client
      let tasks = try (0..<500).map { number in
        let request = try Self.request(number, origin)
        return Task.detached {
          let sending = Task.detached { try await shared.send(request) }
          for _ in 0..<(number % 7) { await Task.yield() }
          sending.cancel()
          return await sending.result
        }
      }
      for task in tasks {
        guard case .failure(let error as HTTPError) = await task.value else {
          Issue.record("the request was answered")
          return
        }
        #expect(error.code == .cancelled)
      }
    }
  }
}
