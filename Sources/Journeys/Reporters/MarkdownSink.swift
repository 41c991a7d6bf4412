import System

/// Writes a summary in GitHub's Markdown: counts, failures to unfold, commands to run them again, all journeys.
final class MarkdownSink: EventSink {
  let wantsExchanges = false
  /// Above these sizes in bytes, failures and rows are only counted: GitHub rejects a summary above 1 MiB.
  private static let mostBytes = 750_000
  private static let mostBytesOfRows = 200_000

  private let output: ReportOutput
  private var records = JourneyRecords()
  private var start: RunStart?
  private var rerun = RerunCommand()
  private var details: [String] = []
  private var commands: [String] = []
  private var rows: [String] = []
  private var bytes = 0
  private var bytesOfRows = 0
  private var leftOut = 0
  private var journeys = 0
  private var count = RunCount()

  init(_ output: ReportOutput) { self.output = output }

  func take(_ event: RunEvent) {
    count.take(event)
    for journey in records.takeTests(event) { add(journey, isFile: event.place == nil) }
    switch event.kind {
    case .runStart(let start):
      self.start = start
      rerun = RerunCommand(start.rerunOptions)
      output.begin()
    case .runEnd(let end): output.write(document(end))
    default: break
    }
  }

  func end() throws(SinkError) { try output.close() }

  private func add(_ journey: JourneyRecord, isFile: Bool) {
    journeys += 1
    let row =
      "| \(Self.mark(journey.outcome)) | \(Self.cell("\(journey.file) > \(journey.title)")) | "
      + "\(Milliseconds.text(journey.duration)) |"
    if bytesOfRows + row.utf8.count < Self.mostBytesOfRows {
      bytesOfRows += row.utf8.count
      rows.append(row)
    }
    switch journey.outcome {
    case .passed, .skipped, .pending: return
    case .failed, .flaky, .interrupted, nil: break
    }
    if journey.outcome != .flaky {
      let command = isFile ? rerun.text(forFile: journey.file) : rerun.text(for: journey)
      if let command, !commands.contains(command), commands.count < 10 { commands.append(command) }
    }
    let text = detail(journey)
    if bytes + text.utf8.count > Self.mostBytes {
      leftOut += 1
    } else {
      bytes += text.utf8.count
      details.append(text)
    }
  }

  /// A failed journey, folded, with the differing attempts.
  private func detail(_ journey: JourneyRecord) -> String {
    var text = ""
    for (numbers, attempt) in journey.differentAttempts {
      if journey.attempts.count > 1 {
        text += RunSummary.label(numbers)
        text += attempt.status == .passed ? ": passed\n" : ":\n"
      }
      for failure in attempt.failures {
        text += FailureText.plain(failure, exchanges: attempt.exchanges) + "\n"
      }
    }
    if text.isEmpty { text = "it was \(journey.outcome?.rawValue ?? "interrupted")\n" }
    let place = journey.file + (journey.line.map { ":\($0)" } ?? "")
    let title = XMLElement.escaped(journey.title.inOneLine)
    return "<details><summary>\(Self.mark(journey.outcome)) <b>\(title)</b> "
      + "<code>\(XMLElement.escaped(place.inOneLine))</code></summary>\n\n"
      + Self.fenced(text.dropLast()) + "\n</details>\n"
  }

  private func document(_ end: RunEnd) -> String {
    var counts = JourneyOutcome.allCases.compactMap { outcome in
      (end.counts[outcome] ?? 0) > 0 ? "\(end.counts[outcome] ?? 0) \(outcome.rawValue)" : nil
    }
    if counts.isEmpty { counts = ["no journey ran"] }
    counts += count.others(end)
    var text = "### \(end.exit == 0 ? "✅" : "❌") luath: \(counts.joined(separator: ", "))"
    text += " in \(Milliseconds.text(end.duration))\n\n"
    if let start {
      text += "target \(Self.code(start.target.name)), project \(Self.code(start.target.projectID))"
      text += ", seed \(start.seed), luath \(start.luath)\n"
      if start.showsSecrets { text += "\n**This report shows secrets (`--show-secrets`).**\n" }
    }
    if end.wasInterrupted { text += "\n**The run was interrupted.**\n" }
    for detail in details { text += "\n" + detail }
    if leftOut > 0 {
      text += "\n\(leftOut) more failures are not shown: a summary has at most 1 MiB.\n"
    }
    if !commands.isEmpty {
      text += "\nRun again:\n\n" + Self.fenced(commands.joined(separator: "\n")[...], as: "sh")
    }
    guard !rows.isEmpty else { return text + "\n" }
    text += "\n<details><summary>All journeys</summary>\n\n| | journey | duration |\n"
    text += "| --- | --- | ---: |\n" + rows.map { $0 + "\n" }.joined()
    if journeys > rows.count { text += "\n\(journeys - rows.count) more are not shown.\n" }
    return text + "\n</details>\n\n"
  }

  private static func mark(_ outcome: JourneyOutcome?) -> String {
    switch outcome {
    case .passed: "✅"
    case .flaky: "⚠️"
    case .skipped, .pending: "➖"
    case .failed, .interrupted, nil: "❌"
    }
  }

  /// A block of code, whose fence is longer than any in the text.
  private static func fenced(_ text: Substring, as language: String = "text") -> String {
    let fence = String(repeating: "`", count: max(3, longestTicks(text) + 1))
    return "\(fence)\(language)\n\(text)\n\(fence)\n"
  }

  /// A text in code marks, in one line.
  private static func code(_ text: String) -> String {
    let fence = String(repeating: "`", count: longestTicks(text[...]) + 1)
    let blank = text.hasPrefix("`") || text.hasSuffix("`") ? " " : ""
    return fence + blank + text.inOneLine + blank + fence
  }

  private static func longestTicks(_ text: Substring) -> Int {
    var longest = 0
    var count = 0
    for byte in text.utf8 {
      count = byte == UInt8(ascii: "`") ? count + 1 : 0
      longest = max(longest, count)
    }
    return longest
  }

  /// A cell of a table, in which nothing is markup.
  private static func cell(_ text: String) -> String {
    XMLElement.escaped(text.inOneLine).map { character in
      "|\\`*_[]~@#".contains(character) ? "\\\(character)" : String(character)
    }.joined()
  }
}
