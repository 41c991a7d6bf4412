import Host
import System

/// The options for the amount of load and its thresholds.
struct LoadOptions {
  static let options = [
    Option("vus", "N", "virtual users; 1 when not given"),
    Option("duration", "TIME", "begin journeys for this time; 30s when not given"),
    Option(
      "rate", "N", "begin N journeys a second, whether or not earlier ones have ended: 50, 0.5"),
    Option(
      "threshold", "LIMIT",
      "fail unless it is kept: p95<300ms, errors<1%, rate>=50, 'STEP:p99<1s'; by commas",
      isRepeatable: true),
    Option("jobs", "N", "threads that the virtual users share; 2 when not given"),
    Option(
      "report", "KIND:FILE",
      "write the figures there, json or html; by commas or more than once for both",
      isRepeatable: true, choices: LoadReportRequest.Kind.allCases.map(\.rawValue)),
  ]

  var plan = LoadPlan()
  let jobs: Int
  let reports: [LoadReportRequest]

  init(_ arguments: ParsedArguments) throws(UsageError) {
    plan.users = try Quantity.count(arguments.values["vus"], "--vus", 1...10_000) ?? 1
    if let text = arguments.values["duration"] {
      plan.duration = try Quantity.time(text, "--duration") / .milliseconds(1)
    }
    if let text = arguments.values["rate"] { plan.rate = try Self.rate(text) }
    jobs = try Quantity.count(arguments.values["jobs"], "--jobs", 1...256) ?? 2
    for text in arguments.list("threshold") {
      guard !text.isEmpty else {
        throw UsageError("--threshold wants a limit, such as p95<300ms")
      }
      do throws(Problem) {
        plan.thresholds.append(try Threshold(text))
      } catch {
        throw UsageError("--threshold: \(error.message)", hint: error.hint)
      }
    }
    reports = try arguments.list("report").map { text throws(UsageError) in
      try LoadReportRequest(text)
    }
  }

  private static func rate(_ text: String) throws(UsageError) -> Double {
    guard let rate = Double(text), rate.isFinite, rate >= 0.001, rate <= 1_000_000 else {
      throw UsageError("--rate takes journeys a second from 0.001 to 1000000, not '\(text)'")
    }
    return rate
  }
}
