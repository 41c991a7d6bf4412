import System

/// Writes each event as one line of JSON (NDJSON).
final class EventFileSink: EventSink {
  let wantsExchanges = true
  private let output: ReportOutput

  init(_ output: ReportOutput) { self.output = output }

  func take(_ event: RunEvent) {
    output.write(event.json.encoded() + "\n")
    // If the process is killed, the file has all finished journeys and shows what was running.
    switch event.kind {
    case .runStart, .journeyStart, .stepStart, .journeyResult, .fileEnd: output.flush()
    default: break
    }
  }

  func end() throws(SinkError) { try output.close() }
}
