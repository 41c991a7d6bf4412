import System

/// One of several parts of a run, each on another machine: `2/5`.
struct Shard: Sendable, Equatable, CustomStringConvertible {
  /// The index of this part, from 1.
  let index: Int
  /// The number of parts.
  let count: Int

  /// More machines than anyone has; a larger number is probably a typo.
  private static let most = 10_000

  /// Parses `INDEX/COUNT`.
  init(_ text: String) throws(Problem) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Self.number(parts[0]), let count = Self.number(parts[1])
    else {
      throw Problem(
        "a shard is a part and a number of parts, not '\(text)'",
        hint: "such as 2/5 for the second of five")
    }
    guard (1...Self.most).contains(count) else {
      throw Problem(
        "\(count) is no number of shards", hint: "use 1 to \(Self.most) of them")
    }
    guard (1...count).contains(index) else {
      throw Problem(
        "there is no shard \(index) of \(count)",
        hint: "use 1/\(count) to \(count)/\(count)")
    }
    self.index = index
    self.count = count
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { $0.isDigit } ? Int(text) : nil
  }

  /// The shard as `INDEX/COUNT`.
  var description: String { "\(index)/\(count)" }

  /// Returns the keys of the units in this shard.
  ///
  /// The longest unit goes first, each to the shard with the smallest load so far (Graham 1969): no
  /// shard takes more than 4/3 of the optimum. All machines compute the same shards from the same
  /// units and durations, in any order. A unit of unknown duration counts as the median.
  ///
  /// - Parameter units: The unique keys, each with its duration in milliseconds.
  func share(of units: [(key: String, duration: Double?)]) -> Set<String> {
    let known: [Double] = units.compactMap { Self.usable($0.duration) }.sorted()
    let middle = known.isEmpty ? 1 : known[known.count / 2]
    // The minimum makes units of duration 0 spread over the shards too.
    var weighted: [(key: String, duration: Double)] = units.map { unit in
      (key: unit.key, duration: max(Self.usable(unit.duration) ?? middle, 0.001))
    }
    weighted.sort { left, right in
      left.duration == right.duration ? left.key < right.key : left.duration > right.duration
    }
    var loads = [Double](repeating: 0, count: count)
    var own: Set<String> = []
    for (key, duration) in weighted {
      let lightest = loads.indices.min { loads[$0] < loads[$1] } ?? 0
      loads[lightest] += duration
      if lightest == index - 1 { own.insert(key) }
    }
    return own
  }
  private static func usable(_ duration: Double?) -> Double? {
    guard let duration, duration.isFinite, duration >= 0 else { return nil }
    return duration
  }
}

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
