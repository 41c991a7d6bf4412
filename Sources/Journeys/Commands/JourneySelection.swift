import Host
import System

/// Selects journeys for a command and prints warnings about the selection.
struct JourneySelection {
  private let options: ChoiceOptions
  private let console: Console
  /// The record of earlier runs.
  let record: RunRecord
  private let journeys: Set<String>?

  /// - Parameter journeys: Selects these journeys only, by their ids; nil for all.
  init(_ options: ChoiceOptions, _ console: Console, only journeys: Set<String>? = nil) {
    self.options = options
    self.console = console
    self.journeys = journeys
    do throws(Problem) {
      record = try options.record.read() ?? RunRecord()
    } catch {
      console.warn(error.message.printable, hint: error.hint)
      record = RunRecord()
      isUnknown = true
    }
  }

  private var isUnknown = false

  /// The journeys to run, out of those that the files declare.
  func choose(
    from files: [PlannedFile], lines: [String: [LineFilter]]
  ) throws(CommandFailure) -> ChosenJourneys {
    var choice = options.choice
    choice.lines = lines
    if options.wantsLastFailed { choice.failed = try lastFailed() }
    if let journeys { choice.failed = journeys }
    let chosen = choice.apply(to: files, durations: record.durations)
    for file in files { warnOfDuplicates(in: file) }
    try check(chosen)
    guard !chosen.isEmpty else { throw nothing(files, chosen) }
    return chosen
  }

  private func lastFailed() throws(CommandFailure) -> Set<String>? {
    // Without a record, run all journeys.
    if isUnknown { return nil }
    guard !record.failed.isEmpty else {
      throw CommandFailure(
        .nothing, "no journey failed when it ran last",
        hint: "leave --last-failed out to run all of them")
    }
    return record.failed
  }

  private func check(_ chosen: ChosenJourneys) throws(CommandFailure) {
    guard !chosen.marked.isEmpty else { return }
    let count = Self.journeys(chosen.marked.count)
    if options.forbidsOnly {
      let places = chosen.marked.map {
        "    \($0.file.printable):\($0.line): \($0.fullName.printable)\n"
      }
      throw CommandFailure(
        .failed, "\(count) marked only, which --forbid-only refuses",
        excerpt: places.joined(), hint: "take the marks out; they leave all other journeys out")
    }
    if chosen.notMarked > 0 {
      console.warn(
        "\(count) marked only: \(chosen.notMarked) others do not run",
        hint: "take the mark out before it is committed; --forbid-only refuses it")
    }
  }

  private static let mostWarnings = 5

  /// Warns of journeys with the same name: both run, but neither can be selected alone.
  private func warnOfDuplicates(in file: PlannedFile) {
    var lines: [String: [Int]] = [:]
    for journey in file.journeys { lines[journey.fullName, default: []].append(journey.line) }
    let names = file.journeys.map(\.fullName).filter { lines[$0]?.count ?? 0 > 1 }
    var told: Set<String> = []
    for name in names where told.insert(name).inserted && told.count <= Self.mostWarnings {
      let places = (lines[name] ?? []).prefix(5).map { "\(file.script.name):\($0)" }
      console.warn(
        "more than one journey is called '\(name)': \(places.joined(separator: ", "))".printable,
        hint: "all run, the second as '\(name.printable) #2'; give each its own name")
    }
  }

  private static func journeys(_ count: Int) -> String {
    count == 1 ? "1 journey is" : "\(count) journeys are"
  }

  private func nothing(_ files: [PlannedFile], _ chosen: ChosenJourneys) -> CommandFailure {
    guard chosen.declared > 0 || files.contains(where: { !$0.journeys.isEmpty }) else {
      return CommandFailure(
        .nothing, "the files declare no journeys",
        hint: "a journey is declared by journey(\"name\", function(j) … end)")
    }
    let all = files.reduce(0) { $0 + $1.journeys.count }
    let message =
      all == 1 ? "the only journey was not selected" : "none of the \(all) journeys was selected"
    if let shard = options.choice.shard, options.choice.expression == nil,
      options.choice.name == nil
    {
      return CommandFailure(
        .nothing, message + " for shard \(shard)", hint: "there are fewer files than shards")
    }
    return CommandFailure(
      .nothing, message, hint: misspelled(files) ?? "luath test --list shows their names and tags")
  }

  /// A hint with the nearest tag for a word in the expression that matches no tag.
  private func misspelled(_ files: [PlannedFile]) -> String? {
    let tags = Set(files.flatMap(\.journeys).flatMap(\.tags)).sorted()
    for word in options.choice.expression?.literals ?? [] where !tags.contains(word) {
      if let near = nearestName(to: word, among: tags) {
        return "no journey has the tag \(word.printable); did you mean \(near.printable)?"
      }
    }
    return nil
  }

  /// Writes the results so far to the record.
  ///
  /// - Parameter isWhole: Whether the run is over; only then is a write failure reported.
  func keep(
    _ masker: OutcomeBook, declared: [PlannedFile], chosen: ChosenJourneys, isWhole: Bool
  ) {
    var record = record
    record.note(
      masker, declared: declared, chosen: chosen.files, keepsDurations: options.shard != nil)
    do throws(Problem) {
      try options.record.write(record)
    } catch {
      if isWhole { console.warn(error.message.printable, hint: error.hint) }
    }
  }

  /// Prints the journeys that would run, one per line, and the files that cannot be loaded as errors.
  func list(_ chosen: ChosenJourneys) -> ExitStatus {
    for journey in chosen.files.flatMap(\.journeys) {
      let tags = journey.tags.map { " #\($0)" }.joined()
      let mark = journey.mark.map { " (\($0.rawValue))" } ?? ""
      console.writeOutput(
        "\(journey.file):\(journey.line): \(journey.title)\(tags)\(mark)".printable + "\n")
    }
    var status = ExitCode.ok
    for file in chosen.files {
      guard let failure = file.failure else { continue }
      let place = failure.file.map { "\($0):\(failure.line ?? 1)" } ?? file.script.name
      console.report("\(place): \(failure.message)".printable, hint: failure.hint)
      status = .notLoaded
    }
    return .code(status)
  }
}
