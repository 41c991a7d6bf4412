/// The kinds of reports, by the names they have on the command line.
public enum ReportKind: String, CaseIterable, Sendable {
  /// For a person: journeys as they end, then what failed.
  case pretty
  /// A character for each journey, then what failed.
  case dot
  /// The Test Anything Protocol, version 14.
  case tap
  /// The same, announced as version 13 for harnesses that refuse 14.
  case tap13
  /// JUnit's XML.
  case junit
  /// The events themselves, one as JSON in every line.
  case json
  /// Annotations of GitHub Actions.
  case github
  /// An HTTP archive.
  case har
  /// A page for a browser, in one file.
  case html

  /// Makes a report of this kind.
  func sink(_ output: ReportOutput, _ surroundings: ReportSurroundings) -> any EventSink {
    let style = TextStyle(columns: surroundings.columns, environment: surroundings.environment)
    switch self {
    case .pretty:
      let isDumb = surroundings.environment["TERM"] == "dumb"
      return PrettySink(output, style: style, columns: isDumb ? nil : surroundings.columns)
    case .dot: return DotSink(output, style: style, columns: surroundings.columns)
    case .tap:
      // Set by Perl's harnesses for what they run; none up to 3.44 takes a stream of version 14.
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
