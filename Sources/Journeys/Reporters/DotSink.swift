/// Prints one character per journey, then the failures.
final class DotSink: EventSink {
  let wantsExchanges = false
  private let output: ReportOutput
  private let style: TextStyle
  private let columns: Int
  private var recorder = JourneyRecords()
  private var summary: RunSummary
  private var shown = 0

  init(_ output: ReportOutput, style: TextStyle, columns: Int?) {
    self.output = output
    self.style = style
    self.columns = max(columns ?? 80, 20)
    summary = RunSummary(style: style)
  }

  func take(_ event: RunEvent) {
    summary.take(event)
    if let journey = recorder.take(event) {
      summary.take(journey)
      show(Self.character(journey.outcome), journey.outcome)
    }
    switch event.kind {
    case .runStart: output.begin()
    case .fileEnd(let end) where !end.failures.isEmpty: show("E", .failed)
    case .runEnd(let end):
      if shown % columns != 0 { output.write("\n") }
      output.write(summary.text(at: end))
    default: break
    }
  }

  func end() throws(SinkError) { try output.close() }

  private func show(_ character: String, _ outcome: JourneyOutcome?) {
    output.write(style.paint(character, outcome))
    shown += 1
    if shown % columns == 0 { output.write("\n") }
  }

  private static func character(_ outcome: JourneyOutcome?) -> String {
    switch outcome {
    case .passed: "."
    case .failed, nil: "F"
    case .flaky: "R"
    case .skipped: "s"
    case .pending: "p"
    case .interrupted: "I"
    }
  }
}
