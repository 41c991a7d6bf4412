import System
import Host

/// Selects which declared journeys run, and in which order.
struct JourneyChoice: Sendable {
  /// Selects by tags and names.
  var expression: SelectionExpression?
  /// Selects by a part of the name.
  var name: NameFilter?
  /// Selects by lines, per file; a file without an entry is taken whole.
  var lines: [String: [LineFilter]] = [:]
  /// Selects these journeys, by their ids in the record: those that failed, or those that a page names.
  var failed: Set<String>?
  /// Selects one shard of what the other filters leave.
  var shard: Shard?
  /// Shuffles files and journeys with this seed.
  var shuffleSeed: UInt64?
  /// How often each journey runs.
  var repeats = 1

  /// Applies the choice to the journeys of files.
  ///
  /// - Parameter durations: Earlier durations in milliseconds, by id.
  func apply(to files: [PlannedFile], durations: [String: Double] = [:]) -> ChosenJourneys {
    var chosen = ChosenJourneys(files: files)
    chosen.declared = chosen.count
    chosen.change { file in self.taken(of: file) }
    chosen.marked = chosen.files.flatMap(\.journeys).filter { $0.mark == .only }
    if !chosen.marked.isEmpty {
      let before = chosen.count
      chosen.change { file in file.journeys.filter { $0.mark == .only } }
      chosen.notMarked = before - chosen.count
    }
    if let shard { take(shard, durations, &chosen) }
    if let shuffleSeed { shuffle(shuffleSeed, &chosen) }
    chosen.change { file in
      file.journeys.flatMap { journey in (1...max(1, self.repeats)).map(journey.repeated) }
    }
    // Files that do not load are kept, whatever the filters say, so that they are reported.
    chosen.files.removeAll { $0.journeys.isEmpty && $0.failure == nil }
    return chosen
  }

  private func taken(of file: PlannedFile) -> [PlannedJourney] {
    var journeys = file.journeys
    if let filters = lines[file.script.name] {
      let own = Set(filters.flatMap { $0.taken(of: journeys) }.map(\.id))
      journeys = journeys.filter { own.contains($0.id) }
    }
    return journeys.filter { journey in
      expression?.takes(journey) ?? true && name?.takes(journey) ?? true
        && failed?.contains(journey.id) ?? true
    }
  }

  /// Assigns whole files to shards, because splitting one would make its fixtures twice.
  ///
  /// Files whose journeys are parallel may be split.
  private func take(_ shard: Shard, _ durations: [String: Double], _ chosen: inout ChosenJourneys) {
    let units = chosen.units(durations)
    let own = shard.share(of: units.map { ($0.key, $0.duration) })
    let journeys = Set(
      units.filter { own.contains($0.key) }.flatMap(\.file.journeys).map(\.id))
    chosen.change { file in file.journeys.filter { journeys.contains($0.id) } }
    chosen.files.removeAll { $0.failure != nil && !own.contains($0.script.name) }
  }

  private func shuffle(_ seed: UInt64, _ chosen: inout ChosenJourneys) {
    let order = ShuffledOrder.files(chosen.files.map(\.script.name), seed: seed)
    let places = Dictionary(
      order.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    chosen.files.sort { places[$0.script.name, default: 0] < places[$1.script.name, default: 0] }
    chosen.change { file in
      ShuffledOrder.journeys(file.journeys, file: file.script.name, seed: seed)
    }
  }
}

/// The selected journeys, and counts of the others.
struct ChosenJourneys: Sendable {
  /// The files with their selected journeys, in order; includes files that do not load.
  var files: [PlannedFile]
  /// The number of declared journeys.
  var declared = 0
  /// The journeys marked `only`.
  var marked: [PlannedJourney] = []
  /// The number of journeys left out because others are marked `only`.
  var notMarked = 0

  init(files: [PlannedFile]) { self.files = files }

  /// The number of selected journeys.
  var count: Int { files.reduce(0) { $0 + $1.journeys.count } }

  /// Whether there are no files to run or report.
  var isEmpty: Bool { files.isEmpty }

  /// The parts of the files, each with its key and its expected duration in milliseconds.
  ///
  /// - Parameter durations: Earlier durations in milliseconds, by id; the median counts for other journeys.
  func units(
    _ durations: [String: Double]
  ) -> [(key: String, file: PlannedFile, duration: Double)] {
    let known = files.flatMap(\.journeys).compactMap { durations[$0.recordID] }.sorted()
    let middle = known.isEmpty ? 1 : known[known.count / 2]
    return files.flatMap(\.units).map { key, file in
      (key, file, file.journeys.reduce(0) { $0 + (durations[$1.recordID] ?? middle) })
    }
  }

  mutating func change(_ body: (PlannedFile) -> [PlannedJourney]) {
    for index in files.indices { files[index].journeys = body(files[index]) }
  }
}

/// Selects journeys by a part of the name, or by a pattern for the whole name.
public struct NameFilter: Sendable {
  private let glob: Glob

  /// Creates a filter from a part of a name, or, with `*` or `?`, from a pattern for the whole name.
  public init(_ text: String) {
    let own = Glob(text)
    glob = own.isLiteral ? Glob("*\(text)*") : own
  }

  /// Whether the filter matches a name.
  public func takes(_ name: String) -> Bool { glob.matches(name) }

  /// Whether the filter matches the journey's own name, or all its names joined by " > " or blanks.
  func takes(_ journey: PlannedJourney) -> Bool {
    glob.matches(journey.ownName) || glob.matches(journey.fullName)
      // busted joins them by blanks.
      || glob.matches(journey.name.joined(separator: " "))
  }
}

/// Selects the journey at a line of a file.
struct LineFilter: Sendable, Equatable {
  /// The line, from 1.
  let line: Int

  /// Splits `FILE:LINE`; nil when the text does not end in a line number.
  static func split(_ text: String) -> (path: String, filter: LineFilter)? {
    guard let colon = text.lastIndex(of: ":"), colon != text.startIndex else { return nil }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0.isDigit }),
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

/// A pattern for whole names: `*` matches any text, `?` one character, `\` escapes the next one.
struct Glob: Sendable, Equatable {
  private enum Part: Equatable {
    case any
    case one
    case character(Character)
  }

  private let parts: [Part]

  /// Parses a pattern; a backslash at its end stands for itself.
  init(_ pattern: String) {
    var parts: [Part] = []
    var rest = pattern[...]
    while let character = rest.popFirst() {
      switch character {
      case "*": if parts.last != .any { parts.append(.any) }
      case "?": parts.append(.one)
      case "\\": parts.append(.character(rest.popFirst() ?? "\\"))
      default: parts.append(.character(character))
      }
    }
    self.parts = parts
  }

  /// Whether the pattern has no wildcard.
  var isLiteral: Bool { !parts.contains { $0 == .any || $0 == .one } }

  /// Whether the pattern matches the whole text.
  ///
  /// Takes at most the product of both lengths, however many stars there are: only the last `*`
  /// that matched is ever tried again.
  func matches(_ text: String) -> Bool {
    let text = Array(text)
    var (part, index) = (0, 0)
    var retry: (part: Int, index: Int)?
    while index < text.count {
      if part < parts.count, parts[part] == .any {
        retry = (part, index)
        part += 1
      } else if part < parts.count, stands(parts[part], for: text[index]) {
        part += 1
        index += 1
      } else if let last = retry {
        retry = (last.part, last.index + 1)
        (part, index) = (last.part + 1, last.index + 1)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .any }
  }

  private func stands(_ part: Part, for character: Character) -> Bool {
    switch part {
    case .any, .one: true
    case .character(let own): own == character
    }
  }
}
