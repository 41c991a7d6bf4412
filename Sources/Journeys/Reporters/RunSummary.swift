/// Collects the summary at the end of a run: failures, counts and seed.
struct RunSummary {
  private var problems: [[String]] = []
  private var count = RunCount()
  private var seed: Int64?
  private var showsSecrets = false
  private let style: TextStyle
  private let text: FailureText

  init(style: TextStyle) {
    self.style = style
    text = FailureText(style: style)
  }

  mutating func take(_ event: RunEvent) {
    count.take(event)
    switch event.kind {
    case .runStart(let start):
      seed = start.seed
      showsSecrets = start.showsSecrets
    case .fileEnd(let end) where !end.failures.isEmpty:
      problems.append([style.bold(end.file.inOneLine)] + end.failures.flatMap { indented($0) })
    default: break
    }
  }

  /// Records the failures of a journey, also of attempts that were retried.
  mutating func take(_ journey: JourneyRecord) {
    guard [.failed, .flaky, .interrupted].contains(journey.outcome) else { return }
    var lines = [style.bold("\(journey.file) > \(journey.title)".inOneLine)]
    if journey.outcome == .interrupted { lines.append("  it was interrupted") }
    for (index, attempt) in journey.attempts.enumerated() where !attempt.failures.isEmpty {
      if journey.attempts.count > 1 { lines.append("  attempt \(index + 1):") }
      lines += attempt.failures.flatMap { indented($0, attempt.exchanges) }
      lines += attempt.attachments.flatMap { text.lines($0).map { "  \($0)" } }
      lines += attempt.logs.flatMap { $0.text.reportLines.map { "    \(style.dim("| \($0)"))" } }
    }
    if lines.count == 1 { lines.append("  it failed") }
    problems.append(lines)
  }

  func text(at end: RunEnd) -> String {
    var lines: [String] = []
    for (index, problem) in problems.enumerated() {
      lines += ["", "\(index + 1)) \(problem[0])"] + problem.dropFirst()
    }
    lines += ["", counts(end)]
    lines += (end.snapshots?.lines ?? []).map { style.yellow($0.inOneLine) }
    if showsSecrets { lines.append(style.yellow("this report shows secrets (--show-secrets)")) }
    if end.wasInterrupted { lines.append(style.red("the run was interrupted")) }
    return lines.map { $0 + "\n" }.joined()
  }

  private func counts(_ end: RunEnd) -> String {
    var parts = JourneyOutcome.allCases.compactMap { outcome -> String? in
      let count = end.counts[outcome] ?? 0
      guard count > 0 || outcome == .passed else { return nil }
      let words = "\(count) \(outcome.rawValue)"
      return count > 0 ? style.paint(words, outcome) : words
    }
    parts += count.others(end).map { style.red($0) }
    return parts.joined(separator: ", ") + " in \(Milliseconds.text(end.duration))"
      + (seed.map { ", seed \($0)" } ?? "")
  }

  private func indented(_ failure: Failure, _ exchanges: [Int: String] = [:]) -> [String] {
    text.lines(failure, exchanges: exchanges).map { "  \($0)" }
  }
}

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
