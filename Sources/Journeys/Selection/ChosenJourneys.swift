/// The selected journeys, and counts of the others.
public struct ChosenJourneys: Sendable {
  /// The files with their selected journeys, in order; includes files that do not load.
  public internal(set) var files: [PlannedFile]
  /// The number of declared journeys.
  public internal(set) var declared = 0
  /// The journeys marked `only`.
  public internal(set) var marked: [PlannedJourney] = []
  /// The number of journeys left out because others are marked `only`.
  public internal(set) var notMarked = 0

  init(files: [PlannedFile]) { self.files = files }

  /// The number of selected journeys.
  public var count: Int { files.reduce(0) { $0 + $1.journeys.count } }

  /// Whether there are no files to run or report.
  public var isEmpty: Bool { files.isEmpty }

  mutating func change(_ body: (PlannedFile) -> [PlannedJourney]) {
    for index in files.indices { files[index].journeys = body(files[index]) }
  }
}
