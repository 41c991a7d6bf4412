import System

/// The counts of one second of a load run.
struct LoadSecond: Sendable {
  /// The latencies that a plot shows, in milliseconds.
  struct Latency: Sendable, Equatable {
    var p50 = 0.0
    var p95 = 0.0
    var p99 = 0.0
    var max = 0.0

    init(_ histogram: Histogram) {
      p50 = histogram.value(at: 50)
      p95 = histogram.value(at: 95)
      p99 = histogram.value(at: 99)
      max = histogram.longest
    }
  }

  /// The start of this second, in seconds since the start of the run.
  let second: Int
  /// Journeys that began, ended, and failed.
  var begun = 0
  var ended = 0
  var failed = 0
  /// Requests that ended, and those that failed (no response, or a server error).
  var requests = 0
  var failedRequests = 0
  /// Virtual users with a journey at the end of this second.
  var active = 0
  /// Latencies of the requests that ended in this second; emptied by `close`.
  var histogram = Histogram()
  private var closed: Latency?

  init(second: Int) { self.second = second }

  var latency: Latency { closed ?? Latency(histogram) }

  /// Replaces the histogram by its percentiles, because an hour has many seconds.
  mutating func close() {
    guard closed == nil else { return }
    closed = latency
    histogram = Histogram()
  }

  var json: JSON {
    let latency = latency
    return [
      "at": .integer(Int64(second) * 1000), "begun": .integer(Int64(begun)),
      "ended": .integer(Int64(ended)), "failed": .integer(Int64(failed)),
      "requests": .integer(Int64(requests)), "failedRequests": .integer(Int64(failedRequests)),
      "active": .integer(Int64(active)), "p50": .number(latency.p50.shortened),
      "p95": .number(latency.p95.shortened), "p99": .number(latency.p99.shortened),
      "max": .number(latency.max.shortened),
    ]
  }
}
