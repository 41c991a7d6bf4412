import Foundation
@testable import Host
@testable import System
import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct LoadOutputTests {
  private static let journey = LoadSubject(journey: "a \"b\"", file: "a.lua", line: 3)

  private func tally(latency: Double = 10) -> LoadTally {
    var tally = LoadTally()
    for number in 0..<10 {
      tally.begin(at: 0)
      tally.request("signUp", at: 0, duration: latency, failed: number == 0)
      tally.step("sign up", of: Self.journey, duration: latency, failed: false)
      tally.end(
        Self.journey, at: 0, duration: 2 * latency, lateness: 0, error: number < 2 ? "no" : nil)
    }
    tally.begin(at: 0)
    tally.drop(10, waited: 1)
    return tally
  }

  private func report(_ tally: LoadTally, _ thresholds: [Threshold] = []) -> LoadReport {
    LoadReport(
      LoadReport.Setup(
        luath: "1", started: "2026-01-01T00:00:00Z",
        target: RunStart.Target(name: "emulator", projectID: "demo-luath", isEmulated: true),
        files: ["a.lua"], vus: 2, rate: 10, model: .open, seed: 5, planned: 2000),
      tally, duration: 2000, wasInterrupted: false, thresholds: thresholds)
  }

  @Test func `Prometheus gets counters, rates and histograms with k6's names`() {
    let lines = LoadMetrics(tally: tally(), users: 2).metrics.text.split(separator: "\n")
    let journey = #"scenario="a \"b\"",file="a.lua""#
    for line in [
      "k6_vus 1", "k6_vus_max 2", "k6_iterations_total 10", "k6_iterations_failed_total 2",
      "k6_dropped_iterations_total 10", #"k6_http_reqs_total{name="signUp"} 10"#,
      #"k6_http_req_failed_rate{name="signUp"} 0.1"#,
      "# TYPE k6_iteration_duration_seconds histogram",
      "k6_iteration_duration_seconds_bucket{\(journey),le=\"0.01\"} 0",
      "k6_iteration_duration_seconds_bucket{\(journey),le=\"0.025\"} 10",
      "k6_iteration_duration_seconds_bucket{\(journey),le=\"+Inf\"} 10",
      "k6_iteration_duration_seconds_sum{\(journey)} 0.2",
      "k6_iteration_duration_seconds_count{\(journey)} 10",
      "k6_iteration_duration_p95{\(journey)} 0.02",
      #"k6_http_req_duration_seconds_bucket{name="signUp",le="0.01"} 10"#,
      #"k6_group_duration_seconds_count{scenario="a \"b\"",group="sign up",file="a.lua"} 10"#,
    ] { #expect(lines.contains(Substring(line)), "\(line)") }
    // Prometheus refuses a text that has a series twice.
    let series = lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != "}" } }
    #expect(Set(series).count == series.count)
  }

  @Test func `a request of remote write has the length, literals and series in order`() {
    var metrics = PrometheusMetrics(prefix: "k6_")
    metrics.add(
      "vus", "gauge", "Users.", [.init([("scenario", "a"), ("file", ""), ("B", "c")], 2)])
    // Written by hand from the specifications: the length in plain, the tag of a literal and its length minus one.
    let series: [UInt8] =
      [0x0A, 6, 0x0A, 1] + Array("B".utf8) + [0x12, 1] + Array("c".utf8)
      + [0x0A, 18, 0x0A, 8] + Array("__name__".utf8) + [0x12, 6] + Array("k6_vus".utf8)
      + [0x0A, 13, 0x0A, 8] + Array("scenario".utf8) + [0x12, 1] + Array("a".utf8)
      + [0x12, 12, 0x09, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x10, 0xAC, 0x02]
    let message = [0x0A, UInt8(series.count)] + series
    #expect(
      metrics.writeRequest(at: 300)
        == [UInt8(message.count), 0xF4, UInt8(message.count - 1), 0] + message)
  }

  @Test func `buckets count what is at most as long as their bounds`() {
    var histogram = Histogram()
    for value in [0, 0.5, 1, 1.01, 70_000] { histogram.record(value) }
    #expect(histogram.counts(upTo: [0.5, 1, 60_000]) == [2, 3, 4])
    #expect(Histogram().counts(upTo: [1]) == [0])
  }

  private func written(_ format: LoadSamples.Format) throws -> [String] {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let samples = try LoadSamples(format, path: file.path, name: "samples")
    samples.add("http_req_duration", 1.23456, name: "GET /a,b", journey: "a \"b\"", failed: true)
    samples.flush()
    samples.add("group_duration", 2, journey: "c", step: "d")
    #expect(try samples.close() == 0)
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test func `samples are lines of CSV that begin as those of k6`() throws {
    let lines = try written(.csv)
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("metric_name,timestamp,metric_value,"))
    let first = try #require(
      lines[1].wholeMatch(of: #/http_req_duration,\d+\.\d{3},1\.235,(.*)/#))
    #expect(first.1 == #""GET /a,b","a ""b""",,true"#)
    #expect(lines[2].hasPrefix("group_duration,") && lines[2].hasSuffix(",2.0,,c,d,false"))
  }

  @Test func `samples are lines of JSON as those of k6`() throws {
    let lines = try written(.ndjson).map { text throws in try JSON.parse(text) }
    #expect(lines.map { $0["type"]?.string } == ["Point", "Point"])
    #expect(lines.map { $0["metric"]?.string } == ["http_req_duration", "group_duration"])
    let data = try #require(lines[0]["data"])
    #expect(data["value"]?.number == 1.235)
    #expect(data["time"]?.string.flatMap(Timestamp.milliseconds) != nil)
    #expect(data["tags"]?["name"]?.string == "GET /a,b")
    #expect(data["tags"]?["failed"]?.string == "true")
    #expect(lines[1]["data"]?["tags"]?["group"]?.string == "d")
  }

  @Test func `a run is compared with the report of an earlier one`() throws {
    let bytes = Array(report(tally()).json.encoded().utf8)
    let base = try LoadBase(bytes, file: "base.json")
    func limit(_ text: String) throws -> Double { try Threshold(text).resolved(base).limit }
    #expect(abs(try limit("signUp:p95<=base+10%") - 11) < 0.02)
    #expect(abs(try limit("p95<base") - 20) < 0.02)
    #expect(try limit("rate>=base-50%") == 2.5)
    // 2 failed and 10 never began, of 20 that were due.
    #expect(try limit("errors<=base+1%") == 61)
    #expect(try limit("dropped<=base+1%") == 51)
    #expect(try limit("signUp:errors<=base+1%") == 11)
    #expect(try limit("p95<1s") == 1000)
    for text in ["other:p95<base", "p42<base"] {
      let threshold = try Threshold(text)
      #expect(throws: Problem.self) { try threshold.resolved(base) }
    }
    let limits = try ["signUp:p95<=base+10%", "signUp:p95<=base+30%"].map { text throws in
      try Threshold(text).resolved(base)
    }
    var later = report(tally(latency: 12), limits)
    later.base = base
    #expect(later.verdicts.map(\.isMet) == [false, true])
    #expect(later.text.contains("missed  signUp:p95<=base+10%: 12.0ms, the limit is 11.0ms\n"))
    #expect(later.text.contains("since base.json"))
    #expect(later.text.contains("+20.0%"))
    let rows = try #require(later.json["comparison"]?["rows"]?.array)
    #expect(
      rows.map { $0["name"]?.string }
        == ["all journeys", "all requests", "a \"b\"", "sign up", "signUp"])
    #expect(rows[4]["p95"]?["base"]?.number == 10 && rows[4]["p95"]?["now"]?.number == 12)
    #expect(later.page.contains("base.json"))
  }

  @Test(arguments: ["", "[]", "{}", #"{"event":"run.start"}"#])
  func `what is no report of a load run is refused`(text: String) {
    #expect(throws: Problem.self) { try LoadBase(Array(text.utf8), file: "base.json") }
  }
}
