import Host
import System

/// The figures of an earlier load run, from its JSON report.
struct LoadBase: Sendable {
  /// The figures of one subject.
  struct Figures: Sendable {
    let kind: String
    let name: String
    /// The journey of a step.
    let journey: String?
    /// In milliseconds, by the name of the figure: `p95`, `mean`.
    let latency: [String: Double]
    /// The share that failed or never began, in percent.
    let errors: Double
    /// The share that never began, in percent.
    let dropped: Double
    let rate: Double

    fileprivate init(_ json: JSON, kind: String? = nil, latency key: String = "latency") {
      self.kind = kind ?? json["kind"]?.string ?? ""
      name = json["name"]?.string ?? ""
      journey = json["journey"]?.string
      var latency: [String: Double] = [:]
      for (name, value) in json[key]?.object?.entries ?? [] { latency[name] = value.number }
      self.latency = latency
      let ended = json["ended"]?.number ?? json["count"]?.number ?? 0
      let never = json["dropped"]?.number ?? 0
      let due = max(1, ended + never)
      errors = min(100, ((json["failed"]?.number ?? 0) + never) / due * 100)
      dropped = never / due * 100
      rate = json["perSecond"]?.number ?? 0
    }
  }

  /// The file as the user named it.
  let file: String
  let journeys: Figures
  let requests: Figures
  let startDelay: Figures
  let groups: [Figures]

  /// Reads the report of `--report json:FILE`.
  init(_ bytes: [UInt8], file: String) throws(Problem) {
    self.file = file
    let hint = "luath load --report json:FILE writes one"
    let json: JSON
    do throws(JSONError) {
      json = try JSON.parse(bytes)
    } catch {
      throw Problem("\(file.printable) is no JSON: \(error.message)", hint: hint)
    }
    guard json["event"]?.string == "load.report", let journeys = json["journeys"],
      let requests = json["requests"]
    else { throw Problem("\(file.printable) is no report of a load run", hint: hint) }
    self.journeys = Figures(journeys, kind: "")
    startDelay = Figures(journeys, kind: "", latency: "startDelay")
    self.requests = Figures(requests, kind: "")
    groups = (json["groups"]?.array ?? []).map { Figures($0) }
  }

  /// Returns the limit of a threshold that compares with the base.
  func limit(of threshold: Threshold, change: Double) throws(Problem) -> Double {
    guard let figures = figures(threshold.subject) else {
      throw Problem(
        "\(file.printable) has nothing named '\(threshold.subject ?? "")'",
        hint: "give the threshold '\(threshold)' a limit without base")
    }
    // A percentage of a share of errors would be nothing when there were none.
    switch threshold.metric {
    case .errors: return figures.errors + change
    case .dropped: return figures.dropped + change
    case .rate: return figures.rate * (1 + change / 100)
    case .mean, .percentile: break
    }
    let name = threshold.metric.latencyName ?? ""
    guard let value = figures.latency[name] else {
      let known = ["min", "mean"] + LoadFigures.percentiles.map(\.name) + ["max"]
      throw Problem(
        "\(file.printable) does not have the figure of the threshold '\(threshold)'",
        hint: "a report has \(known.joined(separator: ", "))")
    }
    return value * (1 + change / 100)
  }

  private func figures(_ subject: String?) -> Figures? {
    switch subject {
    case nil: journeys
    case "requests": requests
    case "startDelay": startDelay
    case let name?: groups.first { $0.name == name }
    }
  }

  /// The figures of a subject; nil when the base does not have it.
  func figures(of subject: LoadSubject, named name: String) -> Figures? {
    groups.first {
      $0.kind == subject.kind.rawValue && $0.name == name
        && ($0.journey ?? subject.journey) == subject.journey
    }
  }
}

extension Threshold.Metric {
  /// The name in reports of a figure of latencies that they have; nil for another one.
  fileprivate var latencyName: String? {
    switch self {
    case .percentile(0): "min"
    case .percentile(100): "max"
    case .percentile(let value): LoadFigures.percentiles.first { $0.value == value }?.name
    case .mean: "mean"
    case .errors, .dropped, .rate: nil
    }
  }
}
