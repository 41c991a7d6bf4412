/// The progress line at the bottom of a terminal: the counts, and the journey that has run longest.
struct ProgressLine {
  private let columns: Int
  private var total = 0
  private var done = 0
  private var failed = 0
  /// The running journeys, oldest first; the oldest one is shown.
  private var running: [(journey: String, words: String)] = []
  private var isShown = false

  init(columns: Int) { self.columns = columns }

  /// Records an event; returns the text to write when the line must be redrawn.
  ///
  /// Each start of a journey or step redraws it, because the next event may be long in coming.
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

  /// Returns the text that erases the line.
  mutating func clear() -> String {
    guard isShown else { return "" }
    isShown = false
    return "\r\u{1B}[K"
  }
}
