import Encoding

/// Writes every event as a line of JSON (NDJSON), as it comes.
final class EventFileSink: EventSink {
  let wantsExchanges = true
  private let output: ReportOutput

  init(_ output: ReportOutput) { self.output = output }

  func take(_ event: RunEvent) {
    output.write(event.json.encoded() + "\n")
    // Whatever ends the process, what ended before is in the file, and what it was doing.
    switch event.kind {
    case .runStart, .journeyStart, .stepStart, .journeyResult, .fileEnd: output.flush()
    default: break
    }
  }

  func end() throws(SinkError) { try output.close() }
}
