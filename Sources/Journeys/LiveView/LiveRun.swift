import Host
import System

/// One run for the live view, or only the list of the journeys.
struct LiveRun: Sendable {
  let operands: [String]
  /// The journeys to run, by their ids; nil for all that are selected.
  var journeys: Set<String>?
  /// Receives the journeys and files in place of a run.
  var list: ListReading?
  let log: LiveLog
  let control: LiveControl
  let projects: KeptProjects

  /// Shows the page which files take long to read, and receives the others for the list.
  func watcher(
    of run: TestRun, _ handleRest: @escaping @Sendable ([PlannedFile], Set<String>) -> Void
  ) -> FileReading.Watcher {
    FileReading.Watcher(
      showSlow: { [control] files, stop in
        control.showSlow(files, of: ObjectIdentifier(run), stop: stop)
      }, handleRest: handleRest)
  }

  /// Begins the run of these journeys.
  func begin(_ journeys: [String]) {
    log.begin(journeys)
    control.showBegin()
  }
}
