/// The order of journeys under a seed.
public enum ShuffledOrder {
  /// Files in an order that the seed decides.
  public static func files(_ files: [String], seed: UInt64) -> [String] {
    var generator = SeededGenerator(seed: seed)
    // From one order, however the files were named.
    return files.sorted().shuffled(using: &generator)
  }

  /// The journeys of one file in an order that the seed and the file decide, not what was selected
  /// of other files.
  ///
  /// Blocks stay together, as what is set up for a block holds for all that is inside it.
  public static func journeys(
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
