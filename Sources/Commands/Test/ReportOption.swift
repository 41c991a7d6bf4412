import Encoding
import Glibc
import Runner
import Scripting

/// Reads `--report`, which takes a list.
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

  /// Refuses reports that would go to one file, or overwrite a file that the command reads.
  ///
  /// - Parameters:
  ///   - files: Paths of the reports.
  ///   - inputs: Paths of what is read.
  static func check(
    _ files: [String], inputs: [String], _ console: Console
  ) throws(CommandFailure) {
    var taken: [FileIdentity: String] = [:]
    for input in inputs {
      if let file = FileIdentity(console.whole(input)) { taken[file] = input }
    }
    for name in files {
      guard let file = FileIdentity(console.whole(name)) else { continue }
      if let other = taken.updateValue(name, forKey: file) {
        throw CommandFailure(
          .usage, "the report \(name.printable) would overwrite \(other.printable)",
          hint: "name another file for the report")
      }
    }
  }

  /// The reports, whose files are opened when the run begins.
  static func sinks(_ requests: [ReportRequest], _ console: Console) -> sending [any EventSink] {
    let surroundings = surroundings(console)
    return requests.map { $0.sink(in: surroundings) }
  }

  static func surroundings(_ console: Console) -> ReportSurroundings {
    ReportSurroundings(
      environment: console.environment, columns: console.outputColumns, folder: console.folder,
      write: console.sendOutput)
  }

  /// The present moment as RFC 3339 writes it.
  static func now() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp.text(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
