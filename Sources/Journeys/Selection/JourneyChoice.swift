import Host

/// Selects which declared journeys run, and in which order.
struct JourneyChoice: Sendable {
  /// Selects by tags and names.
  var expression: SelectionExpression?
  /// Selects by a part of the name.
  var name: NameFilter?
  /// Selects by lines, per file; a file without an entry is taken whole.
  var lines: [String: [LineFilter]] = [:]
  /// Selects these journeys, by their ids in the record.
  var failed: Set<String>?
  /// Selects one shard of what the other filters leave.
  var shard: Shard?
  /// Shuffles files and journeys with this seed.
  var shuffleSeed: UInt64?
  /// How often each journey runs.
  var repeats = 1

  /// Creates a choice of all journeys, in declared order.
  init() {}

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
    let all = chosen.files.flatMap(\.journeys)
    let known = all.compactMap { durations[$0.id] }.sorted()
    let middle = known.isEmpty ? 1 : known[known.count / 2]
    var units: [(key: String, duration: Double?)] = []
    for file in chosen.files {
      var whole: Double?
      for journey in file.journeys {
        let duration = durations[journey.id] ?? middle
        if journey.isParallel {
          units.append((journey.id, duration))
        } else {
          whole = (whole ?? 0) + duration
        }
      }
      if whole != nil || file.failure != nil { units.append((file.script.name, whole ?? 0)) }
    }
    let own = shard.share(of: units)
    chosen.change { file in
      file.journeys.filter { own.contains($0.isParallel ? $0.id : file.script.name) }
    }
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
