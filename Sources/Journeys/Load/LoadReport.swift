import System

/// The result of a load run; text, JSON and HTML reports are made from it.
struct LoadReport: Sendable {
  /// The load model: closed (each user begins the next journey after the last) or open (fixed rate).
  enum Model: String, Sendable {
    case closed, open
  }

  /// The result of one threshold.
  struct Verdict: Sendable {
    let threshold: Threshold
    /// The measured value; nil when nothing has the threshold's name.
    let value: Double?

    /// Whether the threshold was met; false when there is no value.
    var isMet: Bool { value.map(threshold.isMet) ?? false }
  }

  /// The settings of the run.
  struct Setup: Sendable {
    var luath: String
    var started: String
    var target: RunStart.Target
    var files: [String]
    /// The number of users, with those that were added.
    var vus: Int
    var rate: Double?
    /// The stages as they were written.
    var stages: String?
    /// For how many milliseconds at the start nothing was counted.
    var warmUp = 0.0
    var model = Model.closed
    var seed: UInt64
    /// How long new journeys began, in milliseconds.
    var planned: Double
  }

  let setup: Setup
  /// The limit that ended the run, because it was missed.
  var abortedBy: Threshold?
  /// The earlier run that this one is compared with.
  var base: LoadBase?
  /// Why no more users could be added, or the figures of the other agents are missing.
  var problem: RunProblem?
  /// The agents, if several shared the run; then the figures are those of all.
  var team: LoadTeam?
  /// Whether the figures of the other agents are missing.
  var lacksAgents = false
  /// Milliseconds from the end of the warm-up until the last journey ended.
  let duration: Double
  /// Whether the user interrupted the run.
  let wasInterrupted: Bool
  /// The result of each threshold.
  let verdicts: [Verdict]
  let tally: LoadTally

  init(
    _ setup: Setup, _ tally: LoadTally, duration: Double, wasInterrupted: Bool,
    thresholds: [Threshold]
  ) {
    self.setup = setup
    self.tally = tally
    self.duration = duration
    self.wasInterrupted = wasInterrupted
    let seconds = duration / 1000
    verdicts = thresholds.map { threshold in
      Verdict(
        threshold: threshold,
        value: Self.figures(threshold.subject, tally)?.value(of: threshold.metric, seconds: seconds)
      )
    }
  }

  /// Journeys that were due and never began because no user was free.
  var dropped: UInt64 { tally.journeys.dropped }

  /// The number of failed journeys and failed ends of files.
  var failed: UInt64 { tally.journeys.failed }

  /// Whether the run succeeded: all thresholds are met, and no journey failed.
  ///
  /// If a threshold limits the errors, failed journeys are allowed within it.
  var isGood: Bool {
    abortedBy == nil && !lacksAgents && verdicts.allSatisfy(\.isMet)
      && (failed == 0 || verdicts.contains { $0.threshold.metric == .errors })
  }

  /// The number of journeys that ended.
  var ended: UInt64 { tally.journeys.count }

  /// The report as JSON; `docs/journeys.md` describes it.
  var json: JSON {
    let seconds = duration / 1000
    var head: JSONObject = [
      "event": "load.report", "version": 1, "luath": .string(setup.luath),
      "started": .string(setup.started), "target": .string(setup.target.name),
      "files": .array(setup.files.map(JSON.string)), "model": .string(setup.model.rawValue),
      "vus": .integer(Int64(setup.vus)), "seed": .string(String(setup.seed)),
      "planned": .number(setup.planned.shortened), "duration": .number(duration.shortened),
      "wasInterrupted": .bool(wasInterrupted),
    ]
    head["rate"] = setup.rate.map(JSON.number)
    head["stages"] = setup.stages.map(JSON.string)
    if setup.warmUp > 0 { head["warmUp"] = .number(setup.warmUp.shortened) }
    head["agents"] = team?.json
    head["abortedBy"] = abortedBy.map { .string($0.description) }
    head["journeys"] = [
      "begun": .integer(Int64(tally.begun)), "ended": .integer(Int64(ended)),
      "failed": .integer(Int64(failed)), "dropped": .integer(Int64(dropped)),
      "interrupted": .integer(Int64(tally.interrupted)),
      "perSecond": .number(tally.journeys.rate(over: seconds).shortened),
      "latency": tally.journeys.latency.json, "startDelay": tally.startDelay.latency.json,
    ]
    head["requests"] = [
      "count": .integer(Int64(tally.requests.count)),
      "failed": .integer(Int64(tally.requests.failed)),
      "perSecond": .number(tally.requests.rate(over: seconds).shortened),
      "latency": tally.requests.latency.json,
      "phases": .object(
        JSONObject(
          LoadPhase.allCases.compactMap { phase in
            tally.phases[phase].map { (phase.rawValue, $0.latency.json) }
          })),
    ]
    head["groups"] = .array(
      groups.map { tally.figures[$0]?.json($0, name(of: $0), seconds: seconds) ?? .null })
    head["timeline"] = .array(tally.seconds.map(\.json))
    head["errors"] = .array(
      errors.map { ["message": .string($0.key), "count": .integer(Int64($0.value))] })
    head["thresholds"] = .array(verdicts.map(Self.json))
    head["comparison"] = comparisonJSON
    return .object(head)
  }

  /// Journeys, then steps, then endpoints, each in the order they were first seen.
  var groups: [LoadSubject] {
    LoadSubject.Kind.allCases.flatMap { kind in tally.order.filter { $0.kind == kind } }
  }

  /// Failure messages with their counts, most frequent first.
  var errors: [(key: String, value: UInt64)] { tally.errors.sorted }

  /// The name of a subject, after its file if journeys of several files have it.
  func name(of subject: LoadSubject) -> String {
    guard subject.kind == .journey, let file = subject.file,
      tally.order.contains(where: { $0.name == subject.name && $0.file != file })
    else { return subject.name }
    return "\(file) > \(subject.name)"
  }

  private static func json(_ verdict: Verdict) -> JSON {
    [
      "text": .string(verdict.threshold.description), "met": .bool(verdict.isMet),
      "value": verdict.value.map { .number($0.shortened) } ?? .null,
    ]
  }

  /// Returns the counts of a threshold's subject.
  ///
  /// Steps of the same name in several journeys have separate counts; the first one is used.
  static func figures(_ subject: String?, _ tally: LoadTally) -> LoadFigures? {
    guard let subject else { return tally.journeys }
    if subject == "requests" { return tally.requests }
    if subject.hasPrefix("requests."), let phase = LoadPhase(rawValue: String(subject.dropFirst(9)))
    {
      return tally.phases[phase]
    }
    if subject == "startDelay" { return tally.startDelay }
    return tally.order.first { $0.name == subject }.flatMap { tally.figures[$0] }
  }
}

extension LoadReport {
  private static let mostRows = 30

  /// The report as text for a terminal.
  var text: String {
    let seconds = duration / 1000
    var text = "\n" + head(seconds)
    for kind in LoadSubject.Kind.allCases {
      let own = groups.filter { $0.kind == kind }
      if !own.isEmpty { text += "\n" + table("\(kind.rawValue)s", shown(own), seconds) }
      let rest = own.count - Self.mostRows
      if rest > 0 { text += "and \(rest) other \(kind.rawValue)s; --report has them all\n" }
    }
    text += comparisonText
    if !errors.isEmpty {
      text += "\nfailures\n"
      for (message, count) in errors.prefix(10) { text += "  \(count) x \(message)\n" }
      if errors.count > 10 { text += "  and \(errors.count - 10) other kinds\n" }
    }
    if !verdicts.isEmpty {
      text += "\nthresholds\n"
      for verdict in verdicts { text += "  \(line(of: verdict))\n" }
    }
    return text
  }

  /// Returns at most `mostRows` subjects: the most frequent ones, in their original order.
  private func shown(_ subjects: [LoadSubject]) -> [LoadSubject] {
    guard subjects.count > Self.mostRows else { return subjects }
    let counts = subjects.map { tally.figures[$0]?.count ?? 0 }
    let rows = subjects.indices.sorted { (counts[$1], $0) < (counts[$0], $1) }
    return rows.prefix(Self.mostRows).sorted().map { subjects[$0] }
  }

  private func head(_ seconds: Double) -> String {
    let users = setup.vus == 1 ? "1 virtual user" : "\(setup.vus) virtual users"
    let pace =
      setup.stages.map { ", stages \($0)" }
      ?? setup.rate.map { ", \(Self.digits($0)) journeys due a second" } ?? ""
    var text = "\(users)\(pace), \(Self.digits(seconds)) s on \(setup.target.name)"
    if setup.warmUp > 0 { text += ", after \(Self.digits(setup.warmUp / 1000)) s of warm-up" }
    text += wasInterrupted ? ", interrupted\n" : "\n"
    if let abortedBy { text += "ended early, because the limit \(abortedBy) was missed\n" }
    if let team { text += team.text }
    text += "journeys  \(ended) ended, \(failed) failed, "
    text += "\(Self.digits(tally.journeys.rate(over: seconds))) a second\n"
    if dropped > 0 { text += "          \(dropped) were due and never began: no user was free\n" }
    if tally.interrupted > 0 { text += "          \(tally.interrupted) were interrupted\n" }
    if setup.model == .open {
      let delay = tally.startDelay.latency
      text += "          started late by \(Self.time(delay.value(at: 50))) (p50), "
      text += "\(Self.time(delay.value(at: 99))) (p99), \(Self.time(delay.longest)) (max)\n"
    }
    text += "requests  \(tally.requests.count) ended, \(tally.requests.failed) failed, "
    text += "\(Self.digits(tally.requests.rate(over: seconds))) a second\n"
    if let blocked = tally.phases[.blocked]?.latency {
      text += "          waited for a connection for \(Self.time(blocked.value(at: 50))) (p50), "
      text += "\(Self.time(blocked.value(at: 99))) (p99), \(Self.time(blocked.longest)) (max)\n"
    }
    return text
  }

  private func table(_ title: String, _ subjects: [LoadSubject], _ seconds: Double) -> String {
    var rows = [[title, "count", "failed", "/s", "mean", "p50", "p90", "p95", "p99", "max"]]
    for subject in subjects {
      guard let figures = tally.figures[subject] else { continue }
      let latency = figures.latency
      let times = [latency.mean] + [50, 90, 95, 99].map(latency.value) + [latency.longest]
      rows.append(
        [
          Self.cut(name(of: subject)), String(figures.count), String(figures.failed),
          Self.digits(figures.rate(over: seconds)),
        ] + times.map(Self.time))
    }
    return Self.columns(rows)
  }

  /// Lays rows out in columns, the first to the left and the others to the right.
  static func columns(_ rows: [[String]]) -> String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 ? row[column] + space : space + row[column]
      }.joined(separator: "  ") + "\n"
    }.joined()
  }

  private func line(of verdict: Verdict) -> String {
    (verdict.isMet ? "met     " : "missed  ") + "\(verdict.threshold): \(figure(of: verdict))"
      + limitText(of: verdict.threshold)
  }

  /// The measured value of a threshold, as text.
  func figure(of verdict: Verdict) -> String {
    guard let value = verdict.value else { return "nothing of this name was seen" }
    return Self.text(value, of: verdict.threshold.metric)
  }

  /// The limit, where it comes from an earlier run.
  private func limitText(of threshold: Threshold) -> String {
    threshold.change == nil
      ? "" : ", the limit is \(Self.text(threshold.limit, of: threshold.metric))"
  }

  private static func text(_ value: Double, of metric: Threshold.Metric) -> String {
    switch metric {
    case .percentile, .mean: time(value)
    case .errors, .dropped: digits(value) + "%"
    case .rate: digits(value) + "/s"
    }
  }

  static func cut(_ name: String) -> String {
    name.count > 48 ? name.prefix(47) + "…" : name
  }

  /// Formats a time in seconds or milliseconds.
  static func time(_ milliseconds: Double) -> String {
    milliseconds >= 1000 ? digits(milliseconds / 1000) + "s" : digits(milliseconds) + "ms"
  }

  /// Formats a number with three significant digits, the precision of the histogram.
  static func digits(_ number: Double) -> String {
    let places = number >= 100 ? 0 : number >= 10 ? 1 : 2
    let factor = [1.0, 10, 100][places]
    let whole = Int64((number * factor).rounded())
    guard places > 0 else { return String(whole) }
    let fraction = String(whole % Int64(factor))
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(whole / Int64(factor)).\(zeros)\(fraction)"
  }
}
