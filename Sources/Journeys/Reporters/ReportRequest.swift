import Host
import System

/// A requested report: its kind and destination.
struct ReportRequest: Sendable, Equatable {
  /// The kind; nil for a reporter in Lua.
  let kind: ReportKind?
  /// The name of the kind, or the path of the reporter's script.
  let name: String
  /// The path of the file; nil for standard output.
  let file: String?

  /// The path of the reporter's script; nil for the kinds of luath.
  var script: String? { kind == nil ? name : nil }

  /// Parses `KIND`, `KIND:FILE`, `SCRIPT.lua` or `SCRIPT.lua:FILE`; `-` as FILE means standard output.
  ///
  /// - Parameter kinds: The kinds that the command has.
  init(_ text: String, kinds: [ReportKind] = ReportKind.allCases) throws(ReportProblem) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map(String.init) ?? ""
    let isScript = name.hasSuffix(".lua")
    kind = isScript ? nil : kinds.first { $0.rawValue == name }
    guard isScript || kind != nil else {
      let names = kinds.map(\.rawValue)
      let advice = nearestName(to: name, among: names).map { "did you mean \($0)? " } ?? ""
      let more =
        name.contains("/")
        ? " (the name of a reporter in Lua ends in .lua)"
        : name.contains(".") ? " (a comma separates reports, so no FILE may have one)" : ""
      throw ReportProblem(
        "there is no report '\(name.inOneLine)'; \(advice)there are \(names.joined(separator: ", "))"
          + more)
    }
    if parts.count == 2, parts[1].isEmpty {
      throw ReportProblem("the file is missing after '\(text)'; \(name):FILE names one")
    }
    self.name = name
    file = parts.count == 2 && parts[1] != "-" ? String(parts[1]) : nil
    guard kind != .allure || file != nil else {
      throw ReportProblem("allure is a folder of files; allure:FOLDER names it")
    }
  }

  init(kind: ReportKind, file: String? = nil) {
    self.kind = kind
    name = kind.rawValue
    self.file = file
  }

  /// Parses the reports of a run.
  ///
  /// Without one on standard output, adds a `pretty` one there.
  static func all(
    _ texts: [String], kinds: [ReportKind] = ReportKind.allCases
  ) throws(ReportProblem) -> [ReportRequest] {
    var requests: [ReportRequest] = []
    for text in texts {
      let request = try ReportRequest(text, kinds: kinds)
      if let other = requests.first(where: { $0.file == request.file && !$0.shares(with: request) })
      {
        let place = request.file.map { "the file '\($0.inOneLine)'" } ?? "the standard output"
        throw ReportProblem(
          "\(other.name.inOneLine) and \(request.name.inOneLine) cannot both go to \(place); "
            + "KIND:FILE names a file for each")
      }
      requests.append(request)
    }
    if !requests.contains(where: { $0.file == nil }) {
      requests.insert(ReportRequest(kind: .pretty), at: 0)
    }
    return requests
  }

  /// Whether both can go to the standard output: GitHub finds annotations after the text for people.
  private func shares(with other: ReportRequest) -> Bool {
    let kinds = [kind, other.kind]
    return file == nil && kinds.contains(.github)
      && (kinds.contains(.pretty) || kinds.contains(.dot))
  }

  /// Creates the report; its file is opened when the run begins.
  ///
  /// Errors of the file are thrown when the report ends.
  ///
  /// - Throws: Why a reporter in Lua does not load.
  func sink(in surroundings: ReportSurroundings) throws(CommandFailure) -> any EventSink {
    var surroundings = surroundings
    if file != nil { surroundings.columns = nil }
    let output = output(in: surroundings)
    guard let kind else { return try LuaSink(name, output, surroundings) }
    return kind.sink(output, surroundings)
  }

  /// The destination.
  func output(in surroundings: ReportSurroundings) -> ReportOutput {
    guard let file else { return ReportOutput(surroundings.write) }
    let path = file.hasPrefix("/") ? file : "\(surroundings.folder)/\(file)"
    return ReportOutput(path: path, name: file)
  }
}

/// What reports need to know about the process.
struct ReportSurroundings: Sendable {
  /// The environment variables.
  var environment: [String: String]
  /// The width of the terminal on standard output; nil when it is not a terminal.
  var columns: Int?
  /// The folder that relative paths are resolved against.
  var folder: String
  /// Writes to standard output; returns 0 or an error number (errno(3)).
  var write: @Sendable (String) -> Int32

  /// The path of a file from the root of the repository, where CI services look for it; the path itself elsewhere.
  func repositoryPath(of file: String) -> String {
    let whole = file.hasPrefix("/") ? file : "\(folder)/\(file)"
    for name in ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"] {
      // The working folder of the process has no links in its path.
      guard let root = environment[name].flatMap({ FileAccess.realPath(of: $0) }), root.count > 1
      else { continue }
      let start = "\(root)/"
      if whole.hasPrefix(start) { return String(whole.dropFirst(start.count)) }
    }
    return file
  }
}

/// Why the requested reports cannot be created.
struct ReportProblem: Error, Sendable, Equatable {
  /// What is wrong, and what to do.
  let message: String

  init(_ message: String) { self.message = message }
}

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
  /// GitHub Actions annotations, and the summary of the job.
  case github
  /// TeamCity service messages.
  case teamcity
  /// A summary in GitHub's Markdown.
  case markdown
  /// The Common Test Report Format, JSON.
  case ctrf
  /// A folder of results for Allure.
  case allure
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
    case .junit: return JUnitSink(output, path: surroundings.repositoryPath)
    case .json: return EventFileSink(output)
    case .github:
      let summary = surroundings.environment["GITHUB_STEP_SUMMARY"].flatMap {
        $0.isEmpty ? nil : $0
      }
      return GitHubSink(output, summary: summary, path: surroundings.repositoryPath)
    case .teamcity: return TeamCitySink(output)
    case .markdown: return MarkdownSink(output)
    case .ctrf: return CTRFSink(output)
    case .allure: return AllureSink(output)
    case .har: return HARSink(output)
    case .html: return HTMLSink(output)
    }
  }
}
