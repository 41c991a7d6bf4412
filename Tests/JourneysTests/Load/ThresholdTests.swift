@testable import System
import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct ThresholdTests {
  @Test(
    arguments: [
      ("p95<300ms", nil, .percentile(95), 300, 299.9, 300),
      ("p99.9<=1s", nil, .percentile(99.9), 1000, 1000, 1000.1),
      ("max < 2m", nil, .percentile(100), 120_000, 1, 120_000),
      ("min>500us", nil, .percentile(0), 0.5, 0.6, 0.5),
      ("errors<1%", nil, .errors, 1, 0.99, 1), ("rate>=50", nil, .rate, 50, 50, 49),
      ("rate>50/s", nil, .rate, 50, 51, 50), ("mean<10ms", nil, .mean, 10, 9, 10),
      ("signUp:p50<5ms", "signUp", .percentile(50), 5, 4, 5),
      ("a < b: c:p50<5ms", "a < b: c", .percentile(50), 5, 4, 5),
    ] as [(String, String?, Threshold.Metric, Double, Double, Double)])
  func `a threshold is read and kept`(
    text: String, subject: String?, metric: Threshold.Metric, limit: Double, met: Double,
    missed: Double
  ) throws {
    let threshold = try Threshold(text)
    #expect(threshold.subject == subject)
    #expect(threshold.metric == metric)
    #expect(threshold.limit == limit)
    #expect(threshold.isMet(by: met))
    #expect(!threshold.isMet(by: missed))
    #expect(threshold.description == text)
  }

  @Test(
    arguments: [
      ("p95<=base+10%", 10), ("signUp:rate>=base-5%", -5), ("p95<base", 0),
      ("errors <= base + 0.5%", 0.5), ("p95<1s", nil),
    ] as [(String, Double?)])
  func `a limit may be of an earlier run`(text: String, change: Double?) throws {
    #expect(try Threshold(text).change == change)
  }

  @Test(
    arguments: [
      "", "p95", "p95<", "p95<300", "<300ms", "p101<1s", "p-1<1s", "pp<1s", "errors<1ms", "rate<1%",
      "p95<base10%", "p95<base+x%", "p95<base+10", "p95<bases",
      "p95=300ms", "p95<-1ms", "p95<nanms", "p95<infs", "speed<1s", "signUp:<1s", "p95<<3ms",
    ])
  func `what is no threshold is refused`(text: String) throws {
    let problem = try #require(throws: Problem.self) { try Threshold(text) }
    #expect(!problem.message.isEmpty && !problem.hint.isEmpty)
  }
}
