import Host
import System

/// The figures of a load run so far, for Prometheus; the names are those of k6, so that its dashboards show them.
///
/// Journeys are iterations in scenarios of their names, and steps are groups. Times are in seconds.
struct LoadMetrics {
  let tally: LoadTally
  /// The users of the run.
  let users: Int

  /// The upper bounds of the histograms' buckets.
  static let bounds = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
  ]
  private static let kinds: [(kind: LoadSubject.Kind, name: String, noun: String)] = [
    (.journey, "iteration_duration", "journeys"), (.step, "group_duration", "steps"),
    (.endpoint, "http_req_duration", "requests"),
  ]

  /// The figures with their names.
  var metrics: PrometheusMetrics {
    var metrics = PrometheusMetrics(prefix: "k6_")
    func one(_ value: UInt64) -> [PrometheusMetrics.Sample] { [.init([], Double(value))] }
    metrics.add("vus", "gauge", "Virtual users with a journey.", one(UInt64(max(0, tally.active))))
    metrics.add("vus_max", "gauge", "Virtual users.", one(UInt64(users)))
    metrics.add("iterations_total", "counter", "Journeys that ended.", one(tally.journeys.count))
    metrics.add(
      "iterations_failed_total", "counter", "Journeys that failed.", one(tally.journeys.failed))
    metrics.add(
      "dropped_iterations_total", "counter", "Journeys that were due and never began.",
      one(tally.journeys.dropped))
    let endpoints = subjects(.endpoint)
    metrics.add(
      "http_reqs_total", "counter", "Requests that ended.",
      endpoints.map { .init(labels($0.subject), Double($0.figures.count)) })
    metrics.add(
      "http_req_failed_rate", "gauge", "The share of requests that failed, from 0 to 1.",
      endpoints.map { .init(labels($0.subject), $0.figures.errors / 100) })
    for (kind, name, noun) in Self.kinds {
      let subjects = subjects(kind)
      metrics.add(
        "\(name)_seconds", "histogram", "How long \(noun) took.",
        subjects.flatMap { Self.buckets($0.figures.latency, labels($0.subject)) })
      for (percentile, value) in LoadFigures.percentiles where !percentile.contains(".") {
        metrics.add(
          "\(name)_\(percentile)", "gauge", "How long \(noun) took, \(percentile), in seconds.",
          subjects.map {
            .init(labels($0.subject), $0.figures.latency.value(at: value) / 1000)
          })
      }
    }
    return metrics
  }

  private func subjects(
    _ kind: LoadSubject.Kind
  ) -> [(subject: LoadSubject, figures: LoadFigures)] {
    tally.order.filter { $0.kind == kind }.compactMap { subject in
      tally.figures[subject].map { (subject, $0) }
    }
  }

  private func labels(_ subject: LoadSubject) -> [PrometheusMetrics.Label] {
    switch subject.kind {
    case .journey: [("scenario", subject.name), ("file", subject.file ?? "")]
    case .step:
      [
        ("scenario", subject.journey ?? ""), ("group", subject.name), ("file", subject.file ?? ""),
      ]
    case .endpoint: [("name", subject.name)]
    }
  }

  private static func buckets(
    _ histogram: Histogram, _ labels: [PrometheusMetrics.Label]
  ) -> [PrometheusMetrics.Sample] {
    let counts = histogram.counts(upTo: bounds.map { $0 * 1000 })
    let texts = bounds.map { "\($0)" } + ["+Inf"]
    var samples: [PrometheusMetrics.Sample] = []
    for (text, count) in zip(texts, counts + [histogram.count]) {
      samples.append(.init(labels + [("le", text)], Double(count), suffix: "_bucket"))
    }
    samples.append(.init(labels, histogram.sum / 1000, suffix: "_sum"))
    samples.append(.init(labels, Double(histogram.count), suffix: "_count"))
    return samples
  }
}
