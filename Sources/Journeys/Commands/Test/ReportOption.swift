import System
import Host

/// Parses `--report`, which takes a list.
enum ReportOption {
  static let kinds = ReportKind.allCases.map(\.rawValue).joined(separator: ", ")

  static let option = Option(
    "report", "KIND[:FILE]",
    "how to report, to a file or here, by commas or more than once: \(kinds); pretty when not given",
    isRepeatable: true, choices: ReportKind.allCases.map(\.rawValue))

  static func requests(_ arguments: ParsedArguments) throws(UsageError) -> [ReportRequest] {
    do throws(ReportProblem) {
      return try ReportRequest.all(arguments.list("report"))
    } catch {
      throw UsageError("--report: \(error.message)")
    }
  }

  /// The event sinks of the reports; they open their files when the run begins.
  static func sinks(_ requests: [ReportRequest], _ console: Console) -> sending [any EventSink] {
    let surroundings = surroundings(console)
    return requests.map { $0.sink(in: surroundings) }
  }

  static func surroundings(_ console: Console) -> ReportSurroundings {
    ReportSurroundings(
      environment: console.environment, columns: console.outputColumns, folder: console.folder,
      write: console.sendOutput)
  }
}
