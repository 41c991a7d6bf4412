/// Writes GitHub Actions annotations: failures at their lines of the script; and the summary of the job.
///
/// GitHub shows at most ten annotations of a step, so no more are written: the last is the notice with the counts,
/// errors come before warnings, and the other failures are plain lines in the log.
final class GitHubSink: EventSink {
  let wantsExchanges = false
  private static let mostAnnotations = 10
  /// How many may still be written, besides the notice.
  private var left = mostAnnotations - 1
  /// Warnings wait for the end of the run, because errors are more important.
  private var warnings: [(command: String, plain: String)] = []
  private var notAnnotated = 0
  private let output: ReportOutput
  private var recorder = JourneyRecords()
  private var count = RunCount()
  private var showsSecrets = false

  /// The page of the job, which shows its summary.
  private let summary: MarkdownSink?
  private let path: (String) -> String

  /// - Parameters:
  ///   - summary: The file that `GITHUB_STEP_SUMMARY` names; nil outside of GitHub Actions.
  ///   - path: Returns the path of a script from the root of the repository.
  init(_ output: ReportOutput, summary: String?, path: @escaping (String) -> String) {
    self.output = output
    self.path = path
    self.summary = summary.map {
      MarkdownSink(ReportOutput(path: $0, name: "of GITHUB_STEP_SUMMARY", appends: true))
    }
  }

  func take(_ event: RunEvent) {
    summary?.take(event)
    count.take(event)
    if let journey = recorder.take(event) { show(journey) }
    switch event.kind {
    case .runStart(let start):
      output.begin()
      showsSecrets = start.showsSecrets
    case .fileEnd(let end):
      for failure in end.failures {
        annotate("error", failure, title: end.file, file: end.file, line: nil)
      }
    case .log(let log) where log.level == .warning && event.place == nil:
      warnings.append(("::warning::\(Self.data(log.text))", "warning: \(log.text)"))
    case .runEnd(let end):
      for warning in warnings { write(warning.command, plain: warning.plain) }
      let counts = JourneyOutcome.allCases.compactMap { outcome in
        (end.counts[outcome] ?? 0) > 0 ? "\(end.counts[outcome] ?? 0) \(outcome.rawValue)" : nil
      }
      var all = (counts.isEmpty ? ["no journey ran"] : counts) + count.others(end)
      if let obsolete = end.snapshots?.obsolete.count, obsolete > 0 {
        all.append("\(obsolete) obsolete \(obsolete == 1 ? "snapshot" : "snapshots")")
      }
      var words = all.joined(separator: ", ")
      if notAnnotated > 0 {
        let are = notAnnotated == 1 ? "1 more message is" : "\(notAnnotated) more messages are"
        words += "; \(are) in the log of this step"
      }
      if showsSecrets { words += "; this report shows secrets (--show-secrets)" }
      output.write("::notice title=luath::\(Self.data(words))\n")
    default: break
    }
  }

  func end() throws(SinkError) {
    try output.close()
    try summary?.end()
  }

  private func show(_ journey: JourneyRecord) {
    let level: String
    switch journey.outcome {
    case .passed, .skipped, .pending: return
    case .flaky: level = "warning"
    case .failed, .interrupted, nil: level = "error"
    }
    for (_, attempt) in journey.differentAttempts
    where level == "warning" || attempt.status != .passed {
      for failure in attempt.failures {
        annotate(
          level, failure, attempt.exchanges, title: journey.title, file: journey.file,
          line: journey.line)
      }
    }
    if journey.attempts.allSatisfy(\.failures.isEmpty) {
      let failure = Failure(kind: .stopped, message: journey.outcome?.rawValue ?? "failed")
      annotate(level, failure, title: journey.title, file: journey.file, line: journey.line)
    }
  }

  private func annotate(
    _ level: String, _ failure: Failure, _ exchanges: [Int: String] = [:], title: String,
    file: String, line: Int?
  ) {
    // The place of the failure; without one, the journey's own.
    let place = failure.file.map { ($0, failure.line) } ?? (file, line)
    var properties = "file=\(Self.property(path(place.0)))"
    if let number = place.1 { properties += ",line=\(number)" }
    properties += ",title=\(Self.property(title))"
    let text = FailureText.plain(failure, exchanges: exchanges)
    let command = "::\(level) \(properties)::\(Self.data(text))"
    let line = "\(title): \(text)"
    if level == "warning" {
      warnings.append((command, line))
    } else {
      write(command, plain: line)
    }
  }

  /// Writes an annotation, or the plain text once there are too many annotations.
  private func write(_ command: String, plain: String) {
    if left > 0 {
      left -= 1
      output.write("\(command)\n")
    } else {
      notAnnotated += 1
      output.write(plain.reportLines.map { "\(FailureText.harmless($0))\n" }.joined())
    }
  }

  /// Escapes the message of a workflow command (after the second `::`).
  private static func data(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "%": "%25"
      case "\r": "%0D"
      case "\n": "%0A"
      default: String(scalar)
      }
    }.joined()
  }

  /// Escapes the value of a property, where colons and commas are separators.
  private static func property(_ text: String) -> String {
    data(text.inOneLine).unicodeScalars.map { scalar in
      switch scalar {
      case ":": "%3A"
      case ",": "%2C"
      default: String(scalar)
      }
    }.joined()
  }
}
