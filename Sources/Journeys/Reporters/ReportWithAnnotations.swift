import Host

/// Two reports on the standard output: one for people, and then GitHub's annotations.
///
/// The annotations follow when the first report is complete, because each needs a line of its own.
final class ReportWithAnnotations: EventSink {
  let wantsExchanges: Bool
  let wantsEvidence: Bool
  private let report: any EventSink
  private let annotations: any EventSink
  private let held: HeldOutput

  /// - Parameter requests: The two reports, in any order.
  init(
    _ requests: [ReportRequest], in surroundings: ReportSurroundings
  ) throws(CommandFailure) {
    held = HeldOutput(isTerminal: false, surroundings.write)
    held.hold(true)
    var late = surroundings
    late.write = { [held] in held.write($0) }
    let ordered = requests.filter { $0.kind != .github } + requests.filter { $0.kind == .github }
    report = try ordered[0].sink(in: surroundings)
    annotations = try ordered[1].sink(in: late)
    wantsExchanges = report.wantsExchanges || annotations.wantsExchanges
    wantsEvidence = report.wantsEvidence || annotations.wantsEvidence
  }

  func take(_ event: RunEvent) {
    report.take(event)
    if case .runEnd = event.kind { held.hold(false) }
    annotations.take(event)
  }

  func end() throws(SinkError) {
    held.hold(false)
    do throws(SinkError) { try report.end() } catch {
      try? annotations.end()
      throw error
    }
    try annotations.end()
  }
}
