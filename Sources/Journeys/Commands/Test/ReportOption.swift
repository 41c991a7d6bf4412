import System
import Glibc
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

  /// Throws if two reports have the same file, or a report would overwrite an input.
  ///
  /// - Parameters:
  ///   - files: The paths of the reports.
  ///   - inputs: The paths of the files that the command reads.
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

  /// The current time in RFC 3339.
  static func now() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp.text(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
