/// The kinds of reports, by their names on the command line.
enum ReportKind: String, CaseIterable, Sendable {
  /// Terminal output: journeys as they end, then the failures.
  case pretty
  /// One character per journey, then the failures.
  case dot
  /// The Test Anything Protocol, version 14.
  case tap
  /// The same output with a version 13 header, for harnesses that reject 14.
  case tap13
  case junit
  /// The events, one per line as JSON.
  case json
  /// GitHub Actions annotations.
  case github
  /// An HTTP archive (HAR).
  case har
  /// A self-contained HTML page.
  case html

  func sink(_ output: ReportOutput, _ surroundings: ReportSurroundings) -> any EventSink {
    let style = TextStyle(columns: surroundings.columns, environment: surroundings.environment)
    switch self {
    case .pretty:
      let isDumb = surroundings.environment["TERM"] == "dumb"
      return PrettySink(output, style: style, columns: isDumb ? nil : surroundings.columns)
    case .dot: return DotSink(output, style: style, columns: surroundings.columns)
    case .tap:
      // Perl's harnesses set this for the programs they run; none up to 3.44 accepts version 14.
      let isPerl = surroundings.environment["HARNESS_ACTIVE"] == "1"
      return TAPSink(output, version: isPerl ? 13 : 14)
    case .tap13: return TAPSink(output, version: 13)
    case .junit: return JUnitSink(output)
    case .json: return EventFileSink(output)
    case .github: return GitHubSink(output)
    case .har: return HARSink(output)
    case .html: return HTMLSink(output)
    }
  }
}
