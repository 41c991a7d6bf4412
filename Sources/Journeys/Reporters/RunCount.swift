/// Counts what journey outcomes do not show: broken files, and journeys that did not run.
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

  /// Returns the number of planned journeys without an outcome.
  ///
  /// A killed run, or an older luath, does not list them in `run.end`.
  func missing(_ end: RunEnd) -> Int {
    guard end.notRun.isEmpty, end.wasInterrupted else { return end.notRun.count }
    return max(planned - end.counts.values.reduce(0, +), 0)
  }

  /// Returns both counts as text, without those that are zero.
  func others(_ end: RunEnd) -> [String] {
    var words: [String] = []
    if brokenFiles > 0 {
      words.append(brokenFiles == 1 ? "1 broken file" : "\(brokenFiles) broken files")
    }
    if missing(end) > 0 { words.append("\(missing(end)) did not run") }
    return words
  }
}
