import Host
import System

/// A report that a script makes: passes it the events of an event file, as tables.
///
/// After its first error the script receives no further event. The error is kept for `end`, so that the run
/// continues and the other reports are complete.
final class LuaSink: EventSink {
  /// The event of `luath load`: what its JSON report contains.
  static let loadReport = "load.report"
  private static let pageEvents: Set = ["attachment", "page.console", "page.request"]

  let wantsExchanges: Bool
  let wantsEvidence: Bool
  private let output: ReportOutput
  private let script: ReporterScript
  /// The names of the events that the script receives; nil for all.
  private let events: Set<String>?
  private var problem: ReporterScript.Problem?

  /// Loads the script; the output is opened with the first event.
  ///
  /// - Parameter path: The path of the script as the user has written it.
  convenience init(
    _ path: String, _ output: ReportOutput, _ surroundings: ReportSurroundings
  ) throws(CommandFailure) {
    let whole = path.hasPrefix("/") ? path : "\(surroundings.folder)/\(path)"
    let text: [UInt8]
    do throws(SystemError) {
      text = try WholeFile.read(whole)
    } catch {
      throw CommandFailure(
        .notLoaded, "cannot read the reporter \(path.printable): \(error.words)",
        hint: "check the path; it starts from \(surroundings.folder.printable)")
    }
    do throws(ReporterScript.Problem) {
      try self.init(
        try ReporterScript(
          Script(text: text, name: path, folder: whole.folder, path: path),
          events: RunEvent.names + [Self.loadReport], environment: surroundings.environment),
        output)
    } catch {
      throw CommandFailure(
        .notLoaded, error.message,
        hint: error.hint
          ?? "correct the reporter; luath doc journeys#reporters-in-lua shows what it returns")
    }
  }

  /// Creates the report of a loaded script.
  init(_ script: ReporterScript, _ output: ReportOutput) throws(ReporterScript.Problem) {
    self.script = script
    self.output = output
    let names = try script.call("describe")["events"]?.array?.compactMap(\.string)
    events = names.map(Set.init)
    wantsEvidence = events.map { !$0.isDisjoint(with: Self.pageEvents) } ?? true
    wantsExchanges =
      events.map {
        !$0.isDisjoint(with: ["http", "page"]) || !$0.isDisjoint(with: Self.pageEvents)
      }
      ?? true
  }

  func take(_ event: RunEvent) { take(event.json, named: event.name) }

  /// Passes an event of the given name to the script.
  func take(_ event: JSON, named name: String) {
    output.begin()
    if problem == nil, events?.contains(name) ?? true { call("take", [event], for: name) }
    write()
  }

  func end() throws(SinkError) {
    if problem == nil { call("finish", [], for: "finish") }
    if problem == nil {
      do throws(ReporterScript.Problem) { try script.waitForTasks() } catch { problem = error }
    }
    let left = script.close()
    write()
    problem = problem ?? left.first
    if let problem {
      // The error of the output is less important: the script may have caused it.
      try? output.close()
      throw SinkError(
        "the reporter failed: \(problem.message)",
        hint: problem.hint
          ?? "correct the reporter; it received no events after this error, and everything else is complete"
      )
    }
    try output.close()
  }

  private func call(_ function: String, _ arguments: [JSON], for what: String) {
    do throws(ReporterScript.Problem) {
      _ = try script.call(function, arguments, for: what)
    } catch {
      problem = error
    }
  }

  private func write() {
    let texts = script.takeOutput()
    guard !texts.isEmpty else { return }
    for text in texts { output.write(text) }
    output.flush()
  }
}
