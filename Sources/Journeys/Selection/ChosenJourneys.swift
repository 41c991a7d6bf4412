/// The selected journeys, and counts of the others.
struct ChosenJourneys: Sendable {
  /// The files with their selected journeys, in order; includes files that do not load.
  var files: [PlannedFile]
  /// The number of declared journeys.
  var declared = 0
  /// The journeys marked `only`.
  var marked: [PlannedJourney] = []
  /// The number of journeys left out because others are marked `only`.
  var notMarked = 0

  init(files: [PlannedFile]) { self.files = files }

  /// The number of selected journeys.
  var count: Int { files.reduce(0) { $0 + $1.journeys.count } }

  /// Whether there are no files to run or report.
  var isEmpty: Bool { files.isEmpty }

  mutating func change(_ body: (PlannedFile) -> [PlannedJourney]) {
    for index in files.indices { files[index].journeys = body(files[index]) }
  }
}
