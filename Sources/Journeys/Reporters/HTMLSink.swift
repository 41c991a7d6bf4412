/// Writes the HTML report; events are appended as they arrive.
final class HTMLSink: EventSink {
  let wantsExchanges = true
  private let output: ReportOutput
  private var tail = ""
  private var hasEvents = false

  init(_ output: ReportOutput) { self.output = output }

  func take(_ event: RunEvent) {
    if case .runStart(let start) = event.kind {
      let (head, tail) = HTMLPage.report.parts(title: "luath test: \(start.target.name)")
      self.tail = tail
      output.write(head + "{\"events\":[")
    }
    output.write((hasEvents ? ",\n" : "\n") + HTMLPage.data(event.json))
    hasEvents = true
    if case .runEnd = event.kind { output.write("\n]}" + tail) }
  }

  func end() throws(SinkError) { try output.close() }
}
