/// The last line of a terminal during a run: how far it is, and what runs longest now.
struct ProgressLine {
  private let columns: Int
  private var total = 0
  private var done = 0
  private var failed = 0
  /// What runs, the oldest first: that is what keeps a person waiting.
  private var running: [(journey: String, words: String)] = []
  private var isShown = false

  init(columns: Int) { self.columns = columns }

  /// Takes note of an event, and gives what to write when the line is to be drawn anew.
  ///
  /// Each beginning draws it, as nothing may follow for long.
  mutating func take(_ event: RunEvent) -> String? {
    let journey = event.place?.journey ?? ""
    switch event.kind {
    case .runStart(let start): total = start.journeys
    case .journeyStart(let start):
      running.append((journey, start.name.joined(separator: " > ")))
    case .stepStart(let start):
      if let index = running.firstIndex(where: { $0.journey == journey }) {
        running[index].words = start.name
      }
    case .journeyEnd: running.removeAll { $0.journey == journey }
    case .journeyResult(let result):
      done += 1
      if [.failed, .interrupted].contains(result.outcome) { failed += 1 }
    case .runEnd: return nil
    default: guard !isShown else { return nil }
    }
    isShown = true
    var text = "[\(done)/\(total)]"
    if failed > 0 { text += " \(failed) failed" }
    if let now = running.first { text += "  \(now.words.inOneLine)" }
    return "\r\u{1B}[K" + text.prefix(max(columns - 1, 10))
  }

  /// What takes the line away.
  mutating func clear() -> String {
    guard isShown else { return "" }
    isShown = false
    return "\r\u{1B}[K"
  }
}
