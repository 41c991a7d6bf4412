/// The order of journeys for a seed.
enum ShuffledOrder {
  /// Shuffles files.
  static func files(_ files: [String], seed: UInt64) -> [String] {
    var generator = SeededGenerator(seed: seed)
    // Sorted first, so that the order of the arguments does not matter.
    return files.sorted().shuffled(using: &generator)
  }

  /// Shuffles the journeys of one file.
  ///
  /// The order depends on seed and file only, not on what was selected in other files.
  ///
  /// Blocks stay together, because their setup applies to all journeys inside.
  static func journeys(
    _ journeys: [PlannedJourney], file: String, seed: UInt64
  ) -> [PlannedJourney] {
    var generator = SeededGenerator(seed: seed, name: file)
    return shuffled(journeys[...], level: 0, &generator)
  }

  private static func shuffled(
    _ journeys: ArraySlice<PlannedJourney>, level: Int, _ generator: inout SeededGenerator
  ) -> [PlannedJourney] {
    var groups: [[PlannedJourney]] = []
    var rest = journeys
    while let first = rest.first {
      guard first.name.count > level + 1 else {
        groups.append([first])
        rest.removeFirst()
        continue
      }
      let block = rest.prefix {
        $0.name.count > level + 1 && $0.name[level] == first.name[level]
      }
      rest = rest[block.endIndex...]
      groups.append(shuffled(block, level: level + 1, &generator))
    }
    return groups.shuffled(using: &generator).flatMap { $0 }
  }
}
