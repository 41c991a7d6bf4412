import Host

/// The settings of a load run: amount of load, duration, and thresholds.
struct LoadPlan: Sendable {
  /// A file whose rows the journeys get.
  struct Data: Sendable {
    let path: String
    /// The script in whose folder a relative path is; nil for the working folder.
    let script: String?
  }

  /// The number of virtual users, if it is set; with a rate, the number at the start.
  var users: Int?
  /// With a rate, up to how many users are added when none is free.
  var mostUsers: Int?
  /// How long new journeys begin, in milliseconds, if it is set.
  var duration: Double?
  /// Journeys that become due per second (open model); with stages, at the start.
  ///
  /// Nil for the closed model: each user begins the next journey when the last one has ended.
  var rate: Double?
  var stages: [LoadShape.Stage] = []
  /// Whether the stages are of journeys per second; otherwise of users.
  var hasRateStages = false
  /// The stages as they were written.
  var stagesText: String?
  /// The limits that the run must meet.
  var thresholds: [Threshold] = []
  /// After how many measured milliseconds a missed limit ends the run; nil for never.
  var abortDelay: Double?
  /// For how many milliseconds at the start nothing is counted.
  var warmUp = 0.0
  /// The range of the pause of a user after each journey, in milliseconds.
  var thinkTime: ClosedRange<Double>?
  var data: Data?
  /// For how many milliseconds journeys may go on at the end; nil without a limit.
  var grace: Double?
  /// The figures of an earlier run to compare with.
  var base: LoadBase?
  /// Where each measured journey, step and request is written.
  var samples: LoadSamples?
  /// The target in the report.
  var target = RunStart.Target(name: "", projectID: "", isEmulated: false)
  /// When the run began, in RFC 3339.
  var started = ""
  /// The version of luath in the report.
  var luath = ""

  var model: LoadReport.Model { rate != nil || hasRateStages ? .open : .closed }

  /// The number of users, or of journeys per second, over the run.
  var shape: LoadShape {
    guard stages.isEmpty else {
      let start = hasRateStages ? rate ?? 0 : Double(users ?? 0)
      return LoadShape(from: start, stages)
    }
    return LoadShape(constant: rate ?? Double(users ?? 1), for: duration ?? 30_000)
  }

  /// The number of users that are loaded before the run.
  var firstUsers: Int {
    model == .open || stages.isEmpty ? users ?? 1 : max(1, Int(shape.most.rounded()))
  }

  /// Refuses settings that do not go together.
  ///
  /// - Parameters:
  ///   - isPart: Whether other settings may be added, so that nothing is missing yet.
  ///   - name: Returns the name of a setting in messages, for its key.
  func check(isPart: Bool, _ name: (String) -> String) throws(UsageError) {
    func exclude(_ one: String, _ other: String, _ hint: String) throws(UsageError) {
      throw UsageError("\(name(one)) and \(name(other)) exclude each other", hint: hint)
    }
    if !stages.isEmpty {
      if duration != nil {
        try exclude("stages", "duration", "each stage has its duration: 30s:100")
      }
      if rate != nil, !hasRateStages {
        try exclude("rate", "stages", "stages of a rate are written 30s:100/s")
      }
    }
    if thinkTime != nil, model == .open {
      try exclude("thinkTime", "rate", "with a rate, journeys begin by the clock")
    }
    if isPart { return }
    if let mostUsers {
      guard model == .open else {
        throw UsageError(
          "\(name("maxVUs")) needs a rate", hint: "without one, \(name("vus")) is the number")
      }
      guard mostUsers >= firstUsers else {
        throw UsageError(
          "\(name("maxVUs")) is less than the \(firstUsers) users of the start",
          hint: "give \(name("vus")) a lower number")
      }
    }
    guard warmUp < shape.duration else {
      throw UsageError(
        "\(name("warmUp")) leaves nothing to measure",
        hint: "it is a part of the run, and must be shorter")
    }
    if let threshold = thresholds.first(where: { $0.change != nil }), base == nil {
      throw UsageError(
        "the threshold '\(threshold)' needs an earlier run",
        hint: "--compare FILE names the file that --report json:FILE wrote")
    }
    if abortDelay != nil, thresholds.isEmpty {
      throw UsageError(
        "\(name("abortOnFail")) needs a limit", hint: "such as \(name("thresholds")) p95<300ms")
    }
  }
}
