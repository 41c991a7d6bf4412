/// The progress line of a load run.
struct LoadProgress: Sendable {
  /// The text, one line.
  let text: String

  init(_ tally: LoadTally, now: Double) {
    let last = tally.seconds.dropLast().last ?? LoadSecond(second: 0)
    text =
      "\(Int(now / 1000)) s  \(tally.journeys.count) journeys, \(tally.journeys.failed) failed  "
      + "\(last.requests) requests/s, p95 \(LoadReport.time(last.latency.p95))"
  }
}
