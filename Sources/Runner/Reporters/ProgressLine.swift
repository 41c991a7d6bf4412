/// The last line of a terminal during a run: how far it is, and what runs now.
struct ProgressLine {
  private let columns: Int
  private var total = 0
  private var done = 0
  private var failed = 0
  private var now = ""
  private var isShown = false
  private var lastDrawn = -Double.infinity

  init(columns: Int) { self.columns = columns }

  /// Takes note of an event, and gives what to write when the line is to be drawn anew.
  mutating func take(_ event: RunEvent) -> String? {
    switch event.kind {
    case .runStart(let start): total = start.journeys * max(start.repeats, 1)
    case .journeyStart(let start): now = start.name.joined(separator: " > ")
    case .stepStart(let start): now = start.name
    case .journeyResult(let result):
      done += 1
      if [.failed, .interrupted].contains(result.outcome) { failed += 1 }
    case .runEnd: return nil
    default: return nil
    }
    // Often enough for the eye, seldom enough to cost nothing.
    guard !isShown || event.at - lastDrawn >= 50 else { return nil }
    lastDrawn = event.at
    isShown = true
    var text = "[\(done)/\(total)]"
    if failed > 0 { text += " \(failed) failed" }
    text += "  \(now.inOneLine)"
    return "\r\u{1B}[K" + text.prefix(max(columns - 1, 10))
  }

  /// What takes the line away.
  mutating func clear() -> String {
    guard isShown else { return "" }
    isShown = false
    return "\r\u{1B}[K"
  }
}
