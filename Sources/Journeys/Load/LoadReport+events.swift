extension LoadReport {
  /// The report as the events of a test run: a test for each threshold, and one for each journey.
  ///
  /// The test of a journey has its mean latency as duration. It has failed if any execution failed, unless a threshold
  /// limits the errors.
  ///
  /// - Parameter exit: The exit code of the command.
  func events(exit: Int) -> [RunEvent] {
    let tests = tests
    var counts: [JourneyOutcome: Int] = [:]
    for test in tests { counts[test.status.outcome, default: 0] += 1 }
    let start = RunStart(
      luath: setup.luath, started: setup.started, seed: Int64(bitPattern: setup.seed),
      target: setup.target, jobs: setup.vus, journeys: tests.count, files: setup.files)
    let end = RunEnd(
      duration: duration, counts: counts, exit: exit, wasInterrupted: wasInterrupted)
    return [RunEvent(at: 0, .runStart(start))] + tests.flatMap(events)
      + [RunEvent(at: duration, .runEnd(end))]
  }

  private struct Test {
    var name: String
    var file: String
    var line: Int?
    var status = AttemptStatus.passed
    var duration = 0.0
    /// Its figures; empty for none.
    var figures = ""
    /// Why it has failed.
    var problem: String?
  }

  private var tests: [Test] {
    verdicts.map(test) + journeyTests + endTests
      + (wasInterrupted
        ? [Test(name: "the whole duration", file: file, status: .interrupted)] : [])
  }

  /// The file of what belongs to the whole run.
  private var file: String { setup.files.first ?? "" }

  private func events(of test: Test) -> [RunEvent] {
    let failures = test.problem.map {
      [Failure(kind: .assertion, message: $0, file: test.file, line: test.line)]
    }
    let log = RunEvent.Kind.log(LogEvent(level: .info, text: test.figures))
    let kinds: [RunEvent.Kind] = [
      .journeyEnd(
        JourneyEnd(status: test.status, duration: test.duration, failures: failures ?? [])),
      .journeyResult(JourneyResult(outcome: test.status.outcome, attempts: 1)),
    ]
    let place = EventSource(journey: "\(test.file) > \(test.name)", attempt: 1)
    return ((test.figures.isEmpty ? [] : [log]) + kinds).map {
      RunEvent(at: duration, place: place, $0)
    }
  }

  private func test(_ verdict: Verdict) -> Test {
    let figure = figure(of: verdict)
    return Test(
      name: "threshold \(verdict.threshold)", file: file,
      status: verdict.isMet ? .passed : .failed,
      figures: "\(verdict.threshold): \(figure)",
      problem: verdict.isMet ? nil : "missed \(verdict.threshold): \(figure)")
  }

  private var allowsFailures: Bool { verdicts.contains { $0.threshold.metric == .errors } }

  private var journeyTests: [Test] {
    groups.filter { $0.kind == .journey }.compactMap { subject in
      guard let figures = tally.figures[subject] else { return nil }
      let hasFailed = figures.failed > 0 && !allowsFailures
      let messages = tally.failures[subject].map { ":\n\($0.text)" } ?? ""
      return Test(
        name: subject.name, file: subject.file ?? file, line: subject.line,
        status: hasFailed ? .failed : .passed, duration: figures.latency.mean,
        figures: line(of: figures),
        problem: hasFailed ? "\(figures.failed) of \(figures.count) failed\(messages)" : nil)
    }
  }

  private var endTests: [Test] {
    tally.ends.sorted { $0.key < $1.key }.map { file, failures in
      let line = "\(failures.total) failed"
      return Test(
        name: "the end of the file", file: file, status: allowsFailures ? .passed : .failed,
        figures: line, problem: allowsFailures ? nil : "\(line):\n\(failures.text)")
    }
  }

  private func line(of figures: LoadFigures) -> String {
    let times = LoadFigures.percentiles.filter { [50, 95, 99].contains($0.value) }.map {
      "\($0.name) \(Self.time(figures.latency.value(at: $0.value)))"
    }
    return "\(figures.count) ended, \(figures.failed) failed, "
      + "\(Self.digits(figures.rate(over: duration / 1000))) a second, "
      + "\(times.joined(separator: ", ")), max \(Self.time(figures.latency.longest))"
  }
}

extension AttemptStatus {
  /// The outcome of a journey whose only attempt ended so.
  fileprivate var outcome: JourneyOutcome {
    switch self {
    case .passed: .passed
    case .failed: .failed
    case .skipped: .skipped
    case .pending: .pending
    case .interrupted: .interrupted
    }
  }
}
