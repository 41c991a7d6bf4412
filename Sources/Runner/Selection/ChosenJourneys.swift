/// The journeys that are to run, and what became of the others.
public struct ChosenJourneys: Sendable {
  /// The files with the journeys that are to run, in order; also those that do not load.
  public internal(set) var files: [PlannedFile]
  /// How many journeys the files declare.
  public internal(set) var declared = 0
  /// The journeys that are marked `only`, if there are any.
  public internal(set) var marked: [PlannedJourney] = []
  /// How many are left out for their sake.
  public internal(set) var notMarked = 0

  init(files: [PlannedFile]) { self.files = files }

  /// How many journeys are to run.
  public var count: Int { files.reduce(0) { $0 + $1.journeys.count } }

  /// Whether nothing is left to run or to be told of.
  public var isEmpty: Bool { files.isEmpty }

  mutating func change(_ body: (PlannedFile) -> [PlannedJourney]) {
    for index in files.indices { files[index].journeys = body(files[index]) }
  }
}
