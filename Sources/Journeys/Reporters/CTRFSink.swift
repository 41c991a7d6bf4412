import System

/// Writes the Common Test Report Format, version 0.1.0 (ctrf.io): one JSON document with a test for each journey.
final class CTRFSink: EventSink {
  let wantsExchanges = false
  let wantsEvidence = true
  private let output: ReportOutput
  private var records = JourneyRecords()
  private var start: RunStart?
  private var tests: [JSON] = []
  private var counts: [String: Int] = [:]
  private var flaky = 0
  private var suites: Set<String> = []
  /// The number of files with attachments.
  private var files = 0

  init(_ output: ReportOutput) { self.output = output }

  func take(_ event: RunEvent) {
    if case .runStart(let start) = event.kind {
      self.start = start
      output.begin()
    }
    for journey in records.takeTests(event) { tests.append(test(journey)) }
    if case .runEnd(let end) = event.kind { output.write(document(end).encoded() + "\n") }
  }

  func end() throws(SinkError) { try output.close() }

  private func document(_ end: RunEnd) -> JSON {
    let clock = start.map(EventClock.init)
    var summary: JSONObject = ["tests": .integer(Int64(tests.count))]
    for status in ["passed", "failed", "skipped", "pending", "other"] {
      summary[status] = .integer(Int64(counts[status] ?? 0))
    }
    summary["flaky"] = .integer(Int64(flaky))
    summary["suites"] = .integer(Int64(suites.count))
    summary["start"] = .integer(clock?.moment(0) ?? 0)
    summary["stop"] = .integer(clock?.moment(end.duration) ?? 0)
    summary["duration"] = .integer(Milliseconds.whole(end.duration))
    var results: JSONObject = [
      "tool": ["name": "luath", "version": .string(start?.luath ?? "")],
      "summary": .object(summary), "tests": .array(tests),
    ]
    if let start {
      var extra: JSONObject = [
        "target": .string(start.target.name), "project": .string(start.target.projectID),
        "seed": .integer(start.seed), "wasInterrupted": .bool(end.wasInterrupted),
      ]
      if start.showsSecrets { extra["showsSecrets"] = true }
      results["extra"] = .object(extra)
    }
    return ["reportFormat": "CTRF", "specVersion": "0.1.0", "results": .object(results)]
  }

  private func test(_ journey: JourneyRecord) -> JSON {
    let status = Self.status(journey.outcome)
    counts[status, default: 0] += 1
    suites.insert(journey.file)
    var test: JSONObject = [
      "name": .string(journey.title), "status": .string(status),
      "duration": .integer(Milliseconds.whole(journey.duration)),
      "rawStatus": .string((journey.outcome ?? .interrupted).rawValue),
      "suite": .array(([journey.file] + journey.name.dropLast()).map { .string($0) }),
      "filePath": .string(journey.file),
    ]
    if let line = journey.line { test["line"] = .integer(Int64(line)) }
    if let worker = journey.worker { test["threadId"] = .string(String(worker)) }
    if !journey.tags.isEmpty { test["tags"] = .array(journey.tags.map { .string($0) }) }
    if let first = journey.attempts.first, let last = journey.attempts.last, let start {
      let clock = EventClock(start)
      test["start"] = .integer(clock.moment(first.began))
      test["stop"] = .integer(clock.moment(last.began + last.duration))
    }
    if let last = journey.attempts.last {
      addOutput(of: last, to: &test)
      let steps = last.steps.map { step -> JSON in
        ["name": .string(step.name), "status": .string(Self.status(step.status))]
      }
      if !steps.isEmpty { test["steps"] = .array(steps) }
    }
    if let reason = journey.reason, journey.failures.isEmpty { test["message"] = .string(reason) }
    guard journey.attempts.count > 1 else { return .object(test) }
    test["retries"] = .integer(Int64(journey.attempts.count - 1))
    if journey.outcome == .flaky {
      flaky += 1
      test["flaky"] = true
    }
    test["retryAttempts"] = .array(
      journey.attempts.dropLast().enumerated().map { index, attempt in
        var earlier: JSONObject = [
          "attempt": .integer(Int64(index + 1)), "status": .string(Self.status(attempt.status)),
          "duration": .integer(Milliseconds.whole(attempt.duration)),
        ]
        addOutput(of: attempt, to: &earlier)
        return .object(earlier)
      })
    return .object(test)
  }

  /// Adds failures, printed lines and attachments, which tests and earlier attempts have alike.
  private func addOutput(of attempt: JourneyRecord.Attempt, to test: inout JSONObject) {
    if let first = attempt.failures.first {
      test["message"] = .string(FailureText.headline(first))
      let texts = attempt.failures.map { FailureText.plain($0, exchanges: attempt.exchanges) }
      test["trace"] = .string(texts.joined(separator: "\n\n"))
      if let source = first.source { test["snippet"] = .string(source) }
    }
    if !attempt.logs.isEmpty {
      test["stdout"] = .array(attempt.logs.flatMap { $0.text.reportLines.map { .string($0) } })
    }
    let attachments = attempt.attachments.compactMap { attachment -> JSON? in
      guard let path = output.writeBeside(attachment, &files) else { return nil }
      return [
        "name": .string(attachment.name), "contentType": .string(attachment.type),
        "path": .string(path),
      ]
    }
    if !attachments.isEmpty { test["attachments"] = .array(attachments) }
  }

  private static func status(_ outcome: JourneyOutcome?) -> String {
    switch outcome {
    case .passed, .flaky: "passed"
    case .failed: "failed"
    case .skipped: "skipped"
    case .pending: "pending"
    case .interrupted, nil: "other"
    }
  }

  private static func status(_ status: AttemptStatus?) -> String {
    status.map { self.status(JourneyOutcome(rawValue: $0.rawValue)) } ?? "other"
  }
}
