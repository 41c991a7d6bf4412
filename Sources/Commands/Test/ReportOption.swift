import Emulator
import Encoding
import Glibc
import IdentityToolkit
import Runner

/// Reads `--report`, which may be given more than once.
enum ReportOption {
  static let kinds = ReportKind.allCases.map(\.rawValue).joined(separator: ", ")

  static let option = Option(
    "report", "KIND[:FILE]",
    "how to report, to a file or here, more than once for several: \(kinds); pretty when not given")

  static func requests(_ arguments: ParsedArguments) throws(UsageError) -> [ReportRequest] {
    do throws(ReportProblem) {
      return try ReportRequest.all(arguments.lists["report"] ?? [])
    } catch {
      throw UsageError("--report: \(error.message)")
    }
  }

  /// The reports, whose files are open.
  static func sinks(_ requests: [ReportRequest], _ console: Console) -> sending [any EventSink] {
    let surroundings = surroundings(console)
    return requests.map { $0.sink(in: surroundings) }
  }

  static func surroundings(_ console: Console) -> ReportSurroundings {
    ReportSurroundings(
      environment: console.environment, columns: console.outputColumns, folder: console.folder,
      write: console.writeOutput)
  }

  /// The present moment as RFC 3339 writes it.
  static func now() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp.text(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}

extension ProjectFile {
  /// The target of a run as reports name it.
  func reportedTarget(_ arguments: ParsedArguments) -> RunStart.Target {
    let isApp = arguments.values["config"] != nil
    let name = isApp ? Self.firebase : arguments.values["target"] ?? Self.emulator
    let isInside = name == Self.emulator
    let target = targets[name]
    return RunStart.Target(
      name: name, projectID: target?.projectID ?? (isInside ? configuration.id : ""),
      isEmulated: target?.isEmulated ?? isInside)
  }
}
