/// The terminal report: one line per journey under its file, then the failures.
///
/// On a terminal the last line shows the progress.
final class PrettySink: EventSink {
  let wantsExchanges = false
  private let output: ReportOutput
  private let style: TextStyle
  private var recorder = JourneyRecords()
  private var summary: RunSummary
  private var progress: ProgressLine?
  /// The lines of unfinished files, so that concurrent files do not mix.
  private var waiting: [String: [String]] = [:]
  private var workers: [String: Int] = [:]
  private var jobs = 1
  private var lastFile = ""

  /// - Parameter columns: The width of the terminal; nil when there is no terminal.
  init(_ output: ReportOutput, style: TextStyle, columns: Int?) {
    self.output = output
    self.style = style
    summary = RunSummary(style: style, showsSlowest: true)
    progress = columns.map { ProgressLine(columns: $0) }
  }

  func take(_ event: RunEvent) {
    summary.take(event)
    if let journey = recorder.take(event) {
      summary.take(journey)
      show(lines(journey), of: journey.file)
    }
    switch event.kind {
    case .runStart(let start): begin(start)
    case .fileStart(let start): workers[start.file, default: 0] += 1
    case .fileEnd(let end): finish(end)
    case .log(let log) where event.place == nil: say(log)
    case .runEnd(let end): finish(end)
    default: break
    }
    if let line = progress?.take(event) { output.write(line) }
  }

  func end() throws(SinkError) { try output.close() }

  private func begin(_ start: RunStart) {
    jobs = start.jobs
    var words = "\(start.journeys) journey\(start.journeys == 1 ? "" : "s")"
    words += " in \(start.files.count) file\(start.files.count == 1 ? "" : "s")"
    words += " on \(start.target.name), project \(start.target.projectID), seed \(start.seed)"
    if start.jobs > 1 { words += ", \(start.jobs) jobs" }
    if let shard = start.shard {
      words += ", shard \(shard.index) of \(shard.count)\(shard.isShared ? " that share them" : "")"
    }
    write([style.dim(words.inOneLine)])
  }

  private func finish(_ end: FileEnd) {
    if !end.failures.isEmpty {
      let mark = style.red("✗ \(end.file.inOneLine)")
      show(["  \(mark)  \(FailureText.headline(end.failures[0]).inOneLine)"], of: end.file)
    }
    workers[end.file, default: 1] -= 1
    if workers[end.file] == 0 { release(end.file) }
  }

  private func finish(_ end: RunEnd) {
    for file in waiting.keys.sorted() { release(file) }
    if let blank = progress?.clear() { output.write(blank) }
    progress = nil
    output.write(summary.text(at: end))
  }

  private func say(_ log: LogEvent) {
    let text = log.text.reportLines
    let isWarning = log.level == .warning
    write(text.map { isWarning ? style.yellow("warning: \($0)") : FailureText.harmless($0) })
  }

  private func lines(_ journey: JourneyRecord) -> [String] {
    let mark: String
    switch journey.outcome {
    case .passed: mark = "✓"
    case .failed, nil: mark = "✗"
    case .flaky: mark = "↻"
    case .skipped, .pending: mark = "○"
    case .interrupted: mark = "■"
    }
    var words = "\(mark) \(journey.title.inOneLine)"
    switch journey.outcome {
    case .passed: words = style.green(mark) + words.dropFirst(mark.count)
    case .flaky: words = style.yellow("\(words) (passed at attempt \(journey.attempts.count))")
    case .skipped, .pending:
      let reason = journey.reason.map { ": \($0.inOneLine)" } ?? ""
      words = style.paint("\(words) (\(journey.outcome?.rawValue ?? "")\(reason))", journey.outcome)
    default: words = style.paint(words, journey.outcome)
    }
    if ![.skipped, .pending].contains(journey.outcome) {
      words += style.dim("  \(Milliseconds.text(journey.duration))")
    }
    let logs = (journey.attempts.last?.logs ?? []).flatMap(\.text.reportLines)
    return ["  \(words)"] + logs.map { style.dim("    | \($0)") }
  }

  /// Prints lines now, or, when several files run at once, with the other lines of their file.
  private func show(_ lines: [String], of file: String) {
    waiting[file, default: []] += lines
    if jobs == 1 || workers[file] == nil { release(file) }
  }

  private func release(_ file: String) {
    guard let lines = waiting.removeValue(forKey: file), !lines.isEmpty else { return }
    write((file == lastFile ? [] : [style.bold(file.inOneLine)]) + lines)
    lastFile = file
  }

  private func write(_ lines: [String]) {
    output.write((progress?.clear() ?? "") + lines.map { $0 + "\n" }.joined())
    output.flush()
  }
}

/// The progress line at the bottom of a terminal: the counts, and the journey that has run longest.
struct ProgressLine {
  private let columns: Int
  private var total = 0
  private var done = 0
  private var failed = 0
  /// The running journeys, oldest first; the oldest one is shown.
  private var running: [(journey: String, words: String)] = []
  private var isShown = false

  init(columns: Int) { self.columns = columns }

  /// Records an event; returns the text to write when the line must be redrawn.
  ///
  /// Each start of a journey or step redraws it, because the next event may be long in coming.
  mutating func take(_ event: RunEvent) -> String? {
    let journey = event.place?.journey ?? ""
    switch event.kind {
    case .runStart(let start): total = start.journeys
    case .journeyStart(let start):
      running.append((journey, start.name.joined(separator: " > ")))
    case .stepStart(let start):
      if let index = running.firstIndex(where: { $0.journey == journey }) {
        running[index].words = start.name
      }
    case .journeyEnd: running.removeAll { $0.journey == journey }
    case .journeyResult(let result):
      done += 1
      if [.failed, .interrupted].contains(result.outcome) { failed += 1 }
    case .runEnd: return nil
    default: guard !isShown else { return nil }
    }
    isShown = true
    var text = "[\(done)/\(total)]"
    if failed > 0 { text += " \(failed) failed" }
    if let now = running.first { text += "  \(now.words.inOneLine)" }
    return "\r\u{1B}[K" + text.prefix(max(columns - 1, 10))
  }

  /// Returns the text that erases the line.
  mutating func clear() -> String {
    guard isShown else { return "" }
    isShown = false
    return "\r\u{1B}[K"
  }
}
