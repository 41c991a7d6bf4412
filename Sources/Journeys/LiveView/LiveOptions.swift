import Host
import System

/// The options of the live view.
enum LiveOptions {
  /// `--port` of `luath show`.
  static let showPort = Option("port", "N", "the port of the page", default: "a free one")

  static let options = [
    Option("ui", nil, "show journeys in a web page and run them from there, until Ctrl-C"),
    Option("port", "N", "the port of --ui", default: "a free one"),
  ]

  /// The port of the live view, 0 for a free one; nil without `--ui`.
  static func port(
    _ arguments: ParsedArguments, _ reports: [ReportRequest]
  ) throws(UsageError) -> UInt16? {
    let port = try arguments.values["port"].map { text throws(UsageError) in
      try Quantity.port(text, "--port")
    }
    guard arguments.flags.contains("ui") else {
      guard port == nil else {
        throw UsageError("--port is the port of --ui", hint: "add --ui, or leave --port out")
      }
      return nil
    }
    for (flag, advice) in [
      ("watch", "leave --watch out; the page can run journeys when files are saved"),
      ("list", "leave one out"),
      ("last-failed", "leave --last-failed out; the page has a button for it"),
    ] where arguments.flags.contains(flag) {
      throw UsageError("--ui cannot be used with --\(flag)", hint: advice)
    }
    if let report = reports.first(where: { $0.file == nil && ![.pretty, .dot].contains($0.kind) }) {
      throw UsageError(
        "--ui runs journeys many times, and standard output can have one \(report.name.printable) report",
        hint: "write it to a file: --report \(report.name.printable):FILE; each run overwrites it")
    }
    return port ?? 0
  }
}
