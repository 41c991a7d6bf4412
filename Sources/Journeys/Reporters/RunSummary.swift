/// Collects the summary at the end of a run: failures, slowest journeys, commands for another run, counts and seed.
struct RunSummary {
  /// The slowest journeys are listed after a run of this many journeys, if they took this long.
  private static let enoughJourneys = 10
  private static let slow = 500.0
  private static let mostSlowest = 3
  /// How many commands are printed.
  private static let mostCommands = 10

  private var problems: [[String]] = []
  private var rerun = RerunCommand()
  private var commands: [String] = []
  /// Those of files that do not load, or whose end failed, which `--last-failed` does not run.
  private var fileCommands: [String] = []
  private var ran = 0
  private var slowest: [(title: String, duration: Double)] = []
  private let showsSlowest: Bool
  private var count = RunCount()
  private var seed: Int64?
  private var showsSecrets = false
  private let style: TextStyle
  private let text: FailureText

  init(style: TextStyle, showsSlowest: Bool = false) {
    self.style = style
    self.showsSlowest = showsSlowest
    text = FailureText(style: style)
  }

  mutating func take(_ event: RunEvent) {
    count.take(event)
    switch event.kind {
    case .runStart(let start):
      seed = start.seed
      showsSecrets = start.showsSecrets
      rerun = RerunCommand(start.rerunOptions)
    case .fileEnd(let end) where !end.failures.isEmpty:
      if let command = rerun.text(forFile: end.file) { fileCommands.append(command) }
      problems.append([style.bold(end.file.inOneLine)] + end.failures.flatMap { indented($0) })
    default: break
    }
  }

  /// Records the failures of a journey, also of attempts that were retried.
  mutating func take(_ journey: JourneyRecord) {
    noteDuration(of: journey)
    if journey.outcome == .failed { add(rerun.text(for: journey)) }
    guard [.failed, .flaky, .interrupted].contains(journey.outcome) else { return }
    var lines = [style.bold("\(journey.file) > \(journey.title)".inOneLine)]
    if journey.outcome == .interrupted { lines.append("  it was interrupted") }
    for (numbers, attempt) in journey.differentAttempts where !attempt.failures.isEmpty {
      if journey.attempts.count > 1 { lines.append("  \(Self.label(numbers)):") }
      lines += attempt.failures.flatMap { indented($0, attempt.exchanges) }
      lines += text.lines(attempt.attachments).map { "  \($0)" }
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
    lines += slowestLines + rerunLines
    lines += ["", counts(end)]
    lines += (end.snapshots?.lines ?? []).map { style.yellow($0.inOneLine) }
    if showsSecrets { lines.append(style.yellow("this report shows secrets (--show-secrets)")) }
    if end.wasInterrupted { lines.append(style.red("the run was interrupted")) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// `attempt 1`, or `attempts 1 to 3` for attempts that failed in the same way.
  static func label(_ numbers: ClosedRange<Int>) -> String {
    numbers.count == 1
      ? "attempt \(numbers.lowerBound)"
      : "attempts \(numbers.lowerBound) to \(numbers.upperBound), each"
  }

  private mutating func add(_ command: String?) {
    if let command, !commands.contains(command) { commands.append(command) }
  }

  private mutating func noteDuration(of journey: JourneyRecord) {
    guard ![.skipped, .pending].contains(journey.outcome) else { return }
    ran += 1
    guard showsSlowest, journey.duration >= Self.slow else { return }
    let place = slowest.firstIndex { $0.duration < journey.duration } ?? slowest.count
    slowest.insert(("\(journey.file) > \(journey.title)", journey.duration), at: place)
    if slowest.count > Self.mostSlowest { slowest.removeLast() }
  }

  private var slowestLines: [String] {
    guard ran >= Self.enoughJourneys, !slowest.isEmpty else { return [] }
    return ["", "slowest journeys:"]
      + slowest.map { "  \(Milliseconds.text($0.duration))  \($0.title.inOneLine)" }
  }

  private var rerunLines: [String] {
    guard !commands.isEmpty || !fileCommands.isEmpty else { return [] }
    let shown = commands.prefix(Self.mostCommands) + fileCommands.prefix(Self.mostCommands)
    var lines = ["", "run again:"] + shown.map { "  \($0)" }
    if commands.count > Self.mostCommands {
      lines.append("  all \(commands.count) journeys: repeat the command with --last-failed")
    }
    return lines
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
    case .runStart(let start):
      // Other shards run the rest of shared journeys.
      if start.shard?.isShared != true { planned += start.journeys }
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
