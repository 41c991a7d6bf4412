@testable import Batch
@testable import HTTP
@testable import Host
@testable import System
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct BatchMetricsTests {
  /// The samples of a text by name and labels; checks the form of every line.
  private func samples(_ text: String) throws -> [String: Double] {
    var samples: [String: Double] = [:]
    var (help, type) = ("", "")
    #expect(text.hasSuffix("\n"))
    for line in text.split(separator: "\n") {
      if let match = line.wholeMatch(of: /# HELP ([a-z_]+) [A-Z].*\./) {
        help = String(match.1)
      } else if let match = line.wholeMatch(of: /# TYPE ([a-z_]+) (counter|gauge)/) {
        #expect(match.1 == help)
        #expect((match.2 == "counter") == match.1.hasSuffix("_total"))
        type = String(match.1)
      } else {
        let match = try #require(
          line.wholeMatch(
            of: /(([a-z_]+)({[a-z]+="[^"\\]*"(?:,[a-z]+="[^"\\]*")*})?) ([-+.e0-9]+|\+Inf)/),
          "\(line)")
        #expect(match.2 == type)
        let name = String(match.1)
        #expect(samples[name] == nil)
        samples[name] = match.4 == "+Inf" ? .infinity : Double(match.4)
      }
    }
    return samples
  }

  @Test func `the figures of a run are served while it goes on`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(6)
      try await project.setFaults([
        ["operation": "update", "error": "QUOTA_EXCEEDED", "count": 1]
      ])
      // The last row names an account that is not there.
      let operations = (0..<7).map { [link("a\($0)", "m\($0)")] }
      let executor = Executor(
        ScratchJournal.run, of: try await ScratchJournal(operations), settings: BatchSettings(),
        on: project.loop
      ) { (loop) throws(BatchProblem) in try project.makeAdmin(loop) }
      let server = try MetricsServer("0")
      #expect(server.address == "127.0.0.1")
      let address = try await server.start(executor, [("project", "demo-luath"), ("run", "1")])
      let url = try #require(WebURL(address))
      #expect(url.path == "/metrics")
      await executor.control(.pause)
      let before = try samples(try await text(url, project.loop))
      #expect(before["luath_batch_paused"] == 1)
      #expect(before["luath_batch_calls_per_second_limit"] == .infinity)
      await executor.control(.rate(500))
      await executor.control(.resume)
      let end = try await executor.run()
      #expect(end.status.tally.failed == 1)
      let after = try samples(try await text(url, project.loop))
      #expect(after[#"luath_batch_info{project="demo-luath",run="1"}"#] == 1)
      #expect(after[#"luath_batch_rows_total{outcome="done"}"#] == 6)
      #expect(after[#"luath_batch_rows_total{outcome="failed"}"#] == 1)
      #expect(after[#"luath_batch_rows_total{outcome="halfDone"}"#] == 0)
      #expect(after[#"luath_batch_run_rows{state="waiting"}"#] == 0)
      #expect(after[#"luath_batch_steps_total{result="done"}"#] == 6)
      #expect(after[#"luath_batch_calls_total{call="update",status="ok"}"#] == 6)
      #expect(after[#"luath_batch_calls_total{call="update",status="throttled"}"#] == 1)
      #expect(after[#"luath_batch_calls_total{call="lookup",status="ok"}"#] ?? 0 > 0)
      #expect(after["luath_batch_throttled_calls_total"] == 1)
      #expect(after["luath_batch_rows_in_flight"] == 0)
      #expect(after["luath_batch_calls_in_flight"] == 0)
      #expect(after["luath_batch_remaining_seconds"] == 0)
      #expect(after["luath_batch_paused"] == 0)
      #expect(after["luath_batch_calls_per_second_limit"] ?? .infinity <= 500)
      #expect(after["luath_batch_start_time_seconds"] ?? 0 > 1_700_000_000)
      for (method, path, status) in [("GET", "/", 404), ("POST", "/metrics", 405)] {
        let response = try await send(method, "\(url.origin)\(path)", project.loop)
        #expect(response.status == status)
      }
      #expect(throws: Never.self) { try MetricsServer("[::1]:0") }
      await #expect(throws: BatchProblem.self) {
        try await MetricsServer("127.0.0.1:\(url.port)").start(executor, [])
      }
    }
  }

  private func send(_ method: String, _ address: String, _ loop: EventLoop) async throws
    -> HTTPResponse
  {
    let url = try #require(WebURL(address))
    return try await LoopActor(loop).run { _ in
      try await HTTPClient(loop: loop).send(HTTPRequest(method: method, url: url))
    }
  }

  private func text(_ url: WebURL, _ loop: EventLoop) async throws -> String {
    let response = try await send("GET", "\(url)", loop)
    #expect(response.status == 200)
    #expect(response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    return String(decoding: response.body, as: UTF8.self)
  }

  @Test func `counters do not fall when rows wait again and steps are taken back`() {
    var meter = BatchMeter()
    meter.claimed(2)
    meter.ended(StepOutcome.Result.done, at: .zero)
    meter.ended(RowState.failed, at: .zero)
    meter.ended(RowState.failed, at: .zero)
    meter.tookBack(.done)
    meter.reopened(2)
    #expect(meter.own.rows[.failed] == 0)
    #expect(meter.totals.rows == [.failed: 2])
    #expect(meter.totals.steps == [.done: 1, .takenBack: 1])
  }

  @Test func `labels are escaped, and unknown times left out`() throws {
    var status = BatchStatus()
    status.tally.rows = [.waiting: 3]
    let text = BatchMetrics(
      status: status, totals: BatchMeter().totals, rowsInFlight: 0,
      labels: [("project", "a\"b\\c\nd")], began: 1_500
    ).text
    #expect(text.contains(#"luath_batch_info{project="a\"b\\c\nd"} 1"#))
    #expect(text.contains("luath_batch_start_time_seconds 1.5\n"))
    #expect(!text.contains("remaining"))
  }

  @Test(arguments: ["", ":9464", "host:", "a:b", "70000", "::1:9464", "127.0.0.1:-1"])
  func `an address that is none is refused`(_ text: String) {
    #expect(throws: UsageError.self) { try MetricsServer(text) }
  }
}
