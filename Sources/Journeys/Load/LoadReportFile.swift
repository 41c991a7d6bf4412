import Host
import System

/// One report of a load run.
///
/// Its file is opened before the run starts, so that a long run is not lost to a wrong path.
final class LoadReportFile {
  private enum Format {
    case text, json, page
    /// A report about tests.
    case tests(any EventSink)
    case reporter(LuaSink)
  }

  private let format: Format
  private let output: ReportOutput

  /// Opens the file, or loads the reporter.
  init(_ request: ReportRequest, _ surroundings: ReportSurroundings) throws(CommandFailure) {
    output = request.output(in: surroundings)
    switch request.kind {
    case nil: format = .reporter(try LuaSink(request.name, output, surroundings))
    case .pretty: format = .text
    case .json: format = .json
    case .html: format = .page
    case .some(let kind): format = .tests(kind.sink(output, surroundings))
    }
    if request.kind == .allure { return }
    do throws(SinkError) { try output.open() } catch {
      throw CommandFailure(.unavailable, error.message, hint: "check the path of --report")
    }
  }

  /// Writes the report.
  ///
  /// - Parameter exit: The exit code of the command.
  func write(_ report: LoadReport, exit: ExitCode) throws(SinkError) {
    switch format {
    case .text: output.write(report.text)
    case .json: output.write(report.json.encoded() + "\n")
    case .page: output.write(report.page)
    case .tests(let sink):
      for event in report.events(exit: Int(exit.rawValue)) { sink.take(event) }
      return try sink.end()
    case .reporter(let sink):
      sink.take(report.json, named: LuaSink.loadReport)
      return try sink.end()
    }
    try output.close()
  }
}
