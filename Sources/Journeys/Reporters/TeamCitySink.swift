import System

/// Writes TeamCity's service messages: a suite for each file, a test for each attempt of a journey.
///
/// A journey's messages are written together when it has ended, so that those of parallel journeys never mix.
final class TeamCitySink: EventSink {
  let wantsExchanges = false
  private let output: ReportOutput
  private var records = JourneyRecords()

  init(_ output: ReportOutput) { self.output = output }

  func take(_ event: RunEvent) {
    for journey in records.takeTests(event) { show(journey) }
    switch event.kind {
    case .runStart(let start):
      output.begin()
      // A failed attempt does not count when a later one of the same test passes.
      if start.retries > 0 { message("testRetrySupport", [("enabled", "true")]) }
      if start.showsSecrets { warn("this report shows secrets (--show-secrets)") }
    case .log(let log) where event.place == nil && log.level == .warning: warn(log.text)
    default: break
    }
    output.flush()
  }

  func end() throws(SinkError) { try output.close() }

  private func show(_ journey: JourneyRecord) {
    let suite = [("name", journey.file)]
    message("testSuiteStarted", suite)
    for (index, attempt) in journey.attempts.enumerated() {
      show(attempt, isLast: index == journey.attempts.count - 1, of: journey)
    }
    message("testSuiteFinished", suite)
  }

  private func show(_ attempt: JourneyRecord.Attempt, isLast: Bool, of journey: JourneyRecord) {
    let name = ("name", journey.title)
    message("testStarted", [name, ("captureStandardOutput", "false")])
    for log in attempt.logs { message("testStdOut", [name, ("out", log.text + "\n")]) }
    switch attempt.status {
    case .passed: break
    case .skipped, .pending:
      let word = attempt.status?.rawValue ?? ""
      message("testIgnored", [name, ("message", attempt.reason ?? word)])
    case .failed, .interrupted, nil: fail(attempt, name)
    }
    message("testFinished", [name, ("duration", "\(Milliseconds.whole(attempt.duration))")])
  }

  private func fail(_ attempt: JourneyRecord.Attempt, _ name: (String, String)) {
    guard let first = attempt.failures.first else {
      let word = attempt.status == .failed ? "it failed" : "it was interrupted"
      return message("testFailed", [name, ("message", word)])
    }
    let details = attempt.failures.map { FailureText.plain($0, exchanges: attempt.exchanges) }
    var members = [
      name, ("message", FailureText.headline(first)),
      ("details", details.joined(separator: "\n\n")),
    ]
    if let expected = first.expected, let actual = first.actual {
      members += [("type", "comparisonFailure"), ("expected", expected), ("actual", actual)]
    }
    message("testFailed", members)
  }

  private func warn(_ text: String) {
    message("message", [("text", text), ("status", "WARNING")])
  }

  private func message(_ name: String, _ members: [(String, String)]) {
    let words = members.map { "\($0.0)='\(Self.escaped($0.1))'" }.joined(separator: " ")
    output.write("##teamcity[\(name) \(words)]\n")
  }

  /// Escapes a value; characters beyond ASCII are written as UTF-16 code units.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for unit in text.utf16 {
      switch unit {
      case 0x0A: escaped += "|n"
      case 0x0D: escaped += "|r"
      case 0x27, 0x5B, 0x5D, 0x7C: escaped += "|\(Character(Unicode.Scalar(UInt8(unit))))"
      case 0x20...0x7E: escaped.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      default:
        let digits = String(unit, radix: 16, uppercase: true)
        escaped += "|0x" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return escaped
  }
}
