import System
import Glibc
import Host

/// The report file of a load run; opened before it starts, so that a long run is not lost to a wrong path.
struct LoadReportFile: @unchecked Sendable {
  private let request: LoadReportRequest
  // Sendable, because only the task that runs the command uses it.
  private let file: UnsafeMutablePointer<FILE>

  init(_ request: LoadReportRequest, _ console: Console) throws(RunProblem) {
    guard let file = fopen(console.whole(request.path), "wbe") else {
      throw RunProblem(
        "cannot write \(request.path.printable): \(FileProblem(errno).words)",
        hint: "check the path of --report", exit: ExitCode.usage.rawValue)
    }
    self.request = request
    self.file = file
  }

  /// Writes the report; returns an error message on failure.
  func write(_ report: LoadReport) -> String? {
    let content =
      switch request.kind {
      case .json: report.json.encodedBytes() + [0x0A]
      case .html: report.page
      }
    let isWritten = fwrite(content, 1, content.count, file) == content.count
    let isClosed = fclose(file) == 0
    return isWritten && isClosed
      ? nil : "cannot write \(request.path): \(FileProblem(errno).words)"
  }
}

/// The kind and path of a load report.
struct LoadReportRequest {
  enum Kind: String, CaseIterable {
    case json, html
  }

  let kind: Kind
  let path: String

  init(_ text: String) throws(UsageError) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, let kind = Kind(rawValue: parts[0]) else {
      throw UsageError(
        "--report takes json:FILE or html:FILE, not '\(text.printable)'",
        hint: "such as json:load.json; a comma separates two reports, so no FILE may have one")
    }
    self.kind = kind
    path = parts[1]
  }
}
