@testable import Batch
@testable import HTTP
@testable import System
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct PaceURLTests {
  private static func response(
    _ status: Int, _ body: String = "", _ headers: HTTPHeaders = [:]
  ) throws -> HTTPResponse {
    HTTPResponse(
      status: status, headers: headers, body: Array(body.utf8),
      url: try #require(WebURL("http://pace.example/")), protocolName: "HTTP/1.1", duration: .zero)
  }

  @Test(arguments: [
    (200, "", nil as Double?), (204, "", nil), (200, "ok", nil), (200, "{}", nil),
    (200, #"{"rate": null}"#, nil), (200, #"{"rate": 25}"#, 25),
    (200, #"{"rate": 0.5, "a": 1}"#, 0.5),
    (200, "[1]", nil),
  ])
  func `2xx lets the run go on, at a rate if there is one`(
    _ status: Int, _ body: String, _ limit: Double?
  ) throws {
    let pace = PaceURL(url: try #require(WebURL("http://pace.example/")))
    let (reply, wait) = try pace.reply(of: Self.response(status, body))
    #expect(reply == .go(limit: limit))
    #expect(wait == .seconds(5))
  }

  @Test(arguments: [
    (nil as String?, Duration.seconds(5)), ("30", .seconds(30)), ("0", .seconds(1)),
    ("99999999", .seconds(3600)), ("soon", .seconds(5)),
  ])
  func `429 and 503 hold the run as long as Retry-After says`(
    _ header: String?, _ expected: Duration
  ) throws {
    let pace = PaceURL(url: try #require(WebURL("http://pace.example/")))
    var headers: HTTPHeaders = [:]
    if let header { headers.set("Retry-After", header) }
    for status in [429, 503] {
      let (reply, wait) = try pace.reply(of: Self.response(status, "", headers))
      #expect(reply == .hold)
      #expect(wait == expected)
    }
  }

  @Test(arguments: [
    (404, "", "it responds with the status 404"), (500, "", "it responds with the status 500"),
    (301, "", "it responds with the status 301"),
    (200, #"{"rate": 0}"#, "its rate is not a number from 0.01 to 1000000"),
    (200, #"{"rate": "fast"}"#, "its rate is not a number from 0.01 to 1000000"),
    (200, #"{"rate": -1}"#, "its rate is not a number from 0.01 to 1000000"),
  ])
  func `other responses say nothing about the pace`(
    _ status: Int, _ body: String, _ message: String
  ) throws {
    let pace = PaceURL(url: try #require(WebURL("http://pace.example/")))
    let error = #expect(throws: PaceURL.Unusable.self) {
      try pace.reply(of: Self.response(status, body))
    }
    #expect(error?.message == message)
  }

  @Test func `a run makes no call before the URL allows it, and then obeys its rate`() async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(5)
      let questions = Mutex(0)
      let updates = Mutex<[Int]>([])
      let answer: @Sendable (HTTPRequest) -> Answer = { _ in
        .later {
          let number = questions.withLock { count in
            count += 1
            return count
          }
          guard number < 6 else { return ServerResponse(text: #"{"rate": 1000}"#) }
          let count = (try? await project.log("update").count) ?? -1
          updates.withLock { $0.append(count) }
          return ServerResponse(status: 503)
        }
      }
      try await TestServer.run(answer) { url in
        let executor = Executor(
          ScratchJournal.run,
          of: try await ScratchJournal((0..<5).map { [link("a\($0)", "m\($0)")] }),
          settings: BatchSettings(), on: project.loop
        ) { (loop) throws(BatchProblem) in try project.makeAdmin(loop) }
        let watch = PaceWatch(PaceURL(url: url, interval: .milliseconds(20)), executor) {
          message, _ in
          Issue.record("\(message)")
        }
        await watch.ask()
        #expect(await executor.status.hold == .paceURL)
        let following = Task { await watch.follow() }
        let end = try await executor.run()
        following.cancel()
        await following.value
        #expect(end.status.tally.rows[.done] == 5)
        #expect(end.status.limit == 1000)
        #expect(updates.withLock { $0 } == [0, 0, 0, 0, 0])
      }
    }
  }

  @Test func `without usable responses the last one applies, and one warning is given`()
    async throws
  {
    let status = Mutex(500)
    let warnings = Mutex<[String]>([])
    try await TestServer.run({ _ in .now(ServerResponse(status: status.withLock { $0 })) }) { url in
      let loop = try EventLoop.started()
      defer { loop.stop() }
      let executor = Executor(
        ScratchJournal.run, of: try await ScratchJournal([[Operation]]()),
        settings: BatchSettings(),
        on: loop
      ) { _ throws(BatchProblem) in throw BatchProblem(.unavailable, "no calls", hint: "") }
      let watch = PaceWatch(PaceURL(url: url), executor) { message, _ in
        warnings.withLock { $0.append(message) }
      }
      for (given, hold, count) in [
        // Before the first usable response nothing is begun.
        (500, PaceHold.paceURL as PaceHold?, 1), (404, .paceURL, 1), (200, nil, 1), (500, nil, 2),
        (500, nil, 2), (503, .paceURL, 2), (500, .paceURL, 3), (204, nil, 3),
      ] {
        status.withLock { $0 = given }
        await watch.ask()
        #expect(await executor.status.hold == hold)
        #expect(warnings.withLock { $0.count } == count)
      }
      #expect(
        warnings.withLock { $0 }[0]
          == "the pace URL \(url.origin) cannot be used: it responds with the status 500")
    }
  }
}
