/// Counts what no outcome of a journey tells: broken files, and journeys that did not run.
struct RunCount {
  private var planned = 0
  private var brokenFiles = 0

  mutating func take(_ event: RunEvent) {
    switch event.kind {
    case .runStart(let start): planned += start.journeys
    case .fileEnd(let end) where !end.failures.isEmpty: brokenFiles += 1
    default: break
    }
  }

  /// How many journeys of the plan have no outcome.
  ///
  /// The end of a run that was killed, or of an older luath, does not name them.
  func missing(_ end: RunEnd) -> Int {
    guard end.notRun.isEmpty, end.wasInterrupted else { return end.notRun.count }
    return max(planned - end.counts.values.reduce(0, +), 0)
  }

  /// The words for both, where there is something to tell.
  func others(_ end: RunEnd) -> [String] {
    var words: [String] = []
    if brokenFiles > 0 {
      words.append(brokenFiles == 1 ? "1 broken file" : "\(brokenFiles) broken files")
    }
    if missing(end) > 0 { words.append("\(missing(end)) did not run") }
    return words
  }
}
