/// Takes the journey that stands at a line of a file.
public struct LineFilter: Sendable, Equatable {
  /// The line, counted from 1.
  public let line: Int

  /// Makes a filter for a line counted from 1.
  public init(line: Int) { self.line = line }

  /// Takes `FILE:LINE` apart; nil when the text does not end so.
  public static func split(_ text: String) -> (path: String, filter: LineFilter)? {
    guard let colon = text.lastIndex(of: ":"), colon != text.startIndex else { return nil }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let line = Int(digits), line > 0
    else { return nil }
    return (String(text[..<colon]), LineFilter(line: line))
  }

  /// The journeys of one file that the line is about: those declared last at or before it.
  ///
  /// Several journeys made by one loop share a line, and are all taken. Lua tells no end of a call,
  /// so that a line between two journeys belongs to the first.
  public func taken(of journeys: [PlannedJourney]) -> [PlannedJourney] {
    guard let begin = journeys.lazy.map(\.line).filter({ $0 <= line }).max() else { return [] }
    return journeys.filter { $0.line == begin }
  }
}
