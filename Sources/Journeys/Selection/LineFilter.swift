/// Selects the journey at a line of a file.
struct LineFilter: Sendable, Equatable {
  /// The line, from 1.
  let line: Int

  /// Splits `FILE:LINE`; nil when the text does not end in a line number.
  static func split(_ text: String) -> (path: String, filter: LineFilter)? {
    guard let colon = text.lastIndex(of: ":"), colon != text.startIndex else { return nil }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let line = Int(digits), line > 0
    else { return nil }
    return (String(text[..<colon]), LineFilter(line: line))
  }

  /// Returns the journeys of one file that are declared last at or before the line.
  ///
  /// Journeys declared in a loop share a line, and all are taken. Lua does not report where a call
  /// ends, so a line between two journeys belongs to the first.
  func taken(of journeys: [PlannedJourney]) -> [PlannedJourney] {
    guard let begin = journeys.lazy.map(\.line).filter({ $0 <= line }).max() else { return [] }
    return journeys.filter { $0.line == begin }
  }
}
