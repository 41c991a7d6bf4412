import System

extension RunStart {
  func write(to members: inout EventMembers) {
    members.set("version", Self.version)
    members.set("luath", luath)
    members.set("started", started)
    members.set("seed", JSON.integer(seed))
    members.set(
      "target",
      [
        "name": .string(target.name), "projectID": .string(target.projectID),
        "isEmulated": .bool(target.isEmulated),
      ])
    members.set("jobs", jobs)
    if let shard {
      var part: JSONObject = [
        "index": .integer(Int64(shard.index)), "count": .integer(Int64(shard.count)),
      ]
      if shard.isShared { part["isShared"] = true }
      members.set("shard", JSON.object(part))
    }
    members.set("retries", retries)
    members.set("repeat", repeats)
    members.set("journeys", journeys)
    members.set("files", files)
    members.set("arguments", arguments)
    if showsSecrets { members.set("showsSecrets", true) }
    if !rerunOptions.isEmpty { members.set("rerunOptions", rerunOptions) }
  }

  init(_ fields: EventFields) throws(EventProblem) {
    let version: Int = try fields.integer("version")
    guard version == Self.version else {
      throw EventProblem(
        message: "the events are of version \(version), and this luath reads \(Self.version)")
    }
    let target = try fields.reader("target")
    self.init(
      luath: try fields.string("luath"), started: try Self.moment(fields),
      seed: try fields.integer("seed"),
      target: Target(
        name: try target.string("name"), projectID: try target.string("projectID"),
        isEmulated: try target.bool("isEmulated")),
      jobs: try fields.integer("jobs"), shard: try Self.shard(fields),
      retries: try fields.integer("retries"), repeats: try fields.integer("repeat"),
      journeys: try fields.integer("journeys"), files: try fields.strings("files"),
      arguments: try fields.strings("arguments"),
      showsSecrets: try fields.boolIfAny("showsSecrets") ?? false,
      rerunOptions: try fields.strings("rerunOptions"))
  }

  private static func moment(_ fields: EventFields) throws(EventProblem) -> String {
    let text = try fields.string("started")
    guard Timestamp.milliseconds(of: text) != nil else {
      throw EventProblem(message: "'started' is no moment in UTC")
    }
    return text
  }

  private static func shard(_ fields: EventFields) throws(EventProblem) -> Shard? {
    guard let shard = try fields.readerIfAny("shard") else { return nil }
    let index: Int = try shard.integer("index")
    let count: Int = try shard.integer("count")
    guard index >= 1, index <= count else {
      throw EventProblem(message: "there is no shard \(index) of \(count)")
    }
    return Shard(
      index: index, count: count, isShared: try shard.boolIfAny("isShared") ?? false)
  }
}

extension RunEnd {
  func write(to members: inout EventMembers) {
    members.set(milliseconds: "duration", duration)
    members.set(
      "counts",
      JSON.object(
        JSONObject(
          JourneyOutcome.allCases.map { ($0.rawValue, .integer(Int64(counts[$0] ?? 0))) })))
    members.set("exit", exit)
    members.set("wasInterrupted", wasInterrupted)
    if !notRun.isEmpty { members.set("notRun", notRun) }
    if let snapshots {
      var parts = EventMembers()
      parts.set("written", snapshots.written)
      parts.set("updated", snapshots.updated)
      parts.set("removed", snapshots.removed)
      parts.set("obsolete", snapshots.obsolete)
      members.set("snapshots", JSON.object(parts.object))
    }
  }

  init(_ fields: EventFields) throws(EventProblem) {
    let given = try fields.reader("counts")
    var counts: [JourneyOutcome: Int] = [:]
    for outcome in JourneyOutcome.allCases {
      counts[outcome] = try given.integerIfAny(outcome.rawValue) ?? 0
    }
    self.init(
      duration: try fields.number("duration"), counts: counts, exit: try fields.integer("exit"),
      wasInterrupted: try fields.bool("wasInterrupted"), notRun: try fields.strings("notRun"),
      snapshots: try fields.readerIfAny("snapshots").map(Self.snapshots))
  }

  private static func snapshots(_ fields: EventFields) throws(EventProblem) -> SnapshotSummary {
    SnapshotSummary(
      written: try fields.integer("written"), updated: try fields.integer("updated"),
      removed: try fields.integer("removed"), obsolete: try fields.strings("obsolete"))
  }
}

extension FileStart {
  func write(to members: inout EventMembers) {
    members.set("file", file)
    members.set("worker", worker)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(file: try fields.string("file"), worker: try fields.integer("worker"))
  }
}

extension FileEnd {
  func write(to members: inout EventMembers) {
    members.set("file", file)
    members.set("worker", worker)
    members.set(milliseconds: "duration", duration)
    members.set("failures", failures)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      file: try fields.string("file"), worker: try fields.integer("worker"),
      duration: try fields.number("duration"),
      failures: try fields.readers("failures").map(Failure.init))
  }
}
