extension LoadReport {
  /// The report as the events of a test run: a test for each threshold, and one for each journey.
  ///
  /// The test of a journey has its mean latency as duration. It has failed if any execution failed, unless a threshold
  /// limits the errors.
  ///
  /// - Parameter exit: The exit code of the command.
  func events(exit: Int) -> [RunEvent] {
    let tests = verdicts.map(test) + journeyTests
    var counts: [JourneyOutcome: Int] = [:]
    for test in tests { counts[test.problem == nil ? .passed : .failed, default: 0] += 1 }
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
    var duration = 0.0
    var figures: String
    /// Why it has failed; nil if it passed.
    var problem: String?
  }

  private func events(of test: Test) -> [RunEvent] {
    let file = setup.files.first ?? ""
    let failures = test.problem.map { [Failure(kind: .assertion, message: $0, file: file)] } ?? []
    let status = failures.isEmpty ? AttemptStatus.passed : .failed
    let kinds: [RunEvent.Kind] = [
      .log(LogEvent(level: .info, text: test.figures)),
      .journeyEnd(JourneyEnd(status: status, duration: test.duration, failures: failures)),
      .journeyResult(JourneyResult(outcome: failures.isEmpty ? .passed : .failed, attempts: 1)),
    ]
    let place = EventSource(journey: "\(file) > \(test.name)", attempt: 1)
    return kinds.map { RunEvent(at: duration, place: place, $0) }
  }

  private func test(_ verdict: Verdict) -> Test {
    let line = line(of: verdict)
    return Test(
      name: "threshold \(verdict.threshold)", figures: line, problem: verdict.isMet ? nil : line)
  }

  private var journeyTests: [Test] {
    let allowsFailures = verdicts.contains { $0.threshold.metric == .errors }
    let messages = errors.prefix(10).map { "\($0.value) x \($0.key)" }.joined(separator: "\n")
    var ends = failed
    var tests: [Test] = []
    for subject in groups where subject.kind == .journey {
      guard let figures = tally.figures[subject] else { continue }
      ends -= figures.failed
      let hasFailed = figures.failed > 0 && !allowsFailures
      tests.append(
        Test(
          name: subject.name, duration: figures.latency.mean, figures: line(of: figures),
          problem: hasFailed
            ? "\(figures.failed) of \(figures.count) failed; failures of the run:\n\(messages)"
            : nil
        ))
    }
    if ends > 0 {
      let line = "\(ends) failed"
      tests.append(
        Test(
          name: "the ends of the files", figures: line,
          problem: allowsFailures ? nil : "\(line); failures of the run:\n\(messages)"))
    }
    return tests
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
