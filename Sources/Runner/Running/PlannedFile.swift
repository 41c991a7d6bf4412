import Encoding
public import Scripting

/// A file of journeys and those of them that are to run, in order.
public struct PlannedFile: Sendable {
  /// The file.
  public var script: Script
  /// Those that are to run.
  public var journeys: [PlannedJourney]
  /// Why the file could not be read for its journeys.
  public var failure: Failure?

  /// Describes a file.
  public init(script: Script, journeys: [PlannedJourney] = [], failure: Failure? = nil) {
    self.script = script
    self.journeys = journeys
    self.failure = failure
  }
}

/// A journey that a file declares.
public struct PlannedJourney: Sendable {
  /// What a file says of a journey that is not simply to run.
  public enum Mark: String, Sendable {
    case skip, pending, only
  }

  /// `FILE > name > name`, with ` #2` where that would be another one's too.
  public var id: String
  /// What it is called in the record of earlier runs, also when it is repeated.
  public var recordID: String { repetition.map { String(id.dropLast(Self.note($0).count)) } ?? id }
  /// Which repetition it is, from 2; nil for the first.
  public var repetition: Int?
  /// What the engine knows it by.
  public var index: Int
  /// The names of the blocks around it, then its own, as they may be shown.
  public var name: [String]
  /// The names as the file has them, secrets and all, by which it is found when that is read again.
  let declaredName: [String]
  /// Where it is declared.
  public var file: String
  /// The line of its declaration.
  public var line: Int
  /// Its own tags and those of the blocks around it.
  public var tags: [String]
  /// What the file says of it; nil when it is simply to run.
  public var mark: Mark?
  /// Why it is marked.
  public var reason: String?
  /// Seconds.
  public var timeout: Double?
  /// How often it is tried again when it fails; nil for what the run says.
  public var retries: Int?
  /// Whether it may run beside others of its file.
  public var isParallel: Bool
  /// Whether it finds what the journeys before it in the file left in the emulated project.
  let keepsProject: Bool

  /// Describes a journey that is simply to run.
  init(id: String, index: Int, name: [String], file: String, line: Int, tags: [String] = []) {
    self.id = id
    self.index = index
    self.name = name
    declaredName = name
    self.file = file
    self.line = line
    self.tags = tags
    isParallel = false
    keepsProject = false
  }

  /// The journey once more, as the report tells it apart.
  func repeated(_ number: Int) -> PlannedJourney {
    guard number > 1 else { return self }
    var again = self
    again.repetition = number
    again.id += Self.note(number)
    return again
  }

  private static func note(_ repetition: Int) -> String { " (run \(repetition))" }

  /// The name without those of the blocks around it.
  public var ownName: String { name.last ?? "" }

  /// The names, and what tells it apart from another journey of the same: ` (run 2)`, ` #2`.
  public var title: String {
    let plain = "\(file) > \(fullName)"
    return id.hasPrefix(plain) ? fullName + id.dropFirst(plain.count) : fullName
  }

  /// The names, as reports join them.
  public var fullName: String { name.joined(separator: " > ") }

  /// Reads what the engine collected; nil for what is no journey.
  init?(_ json: JSON, of script: Script, isParallel: Bool, keepsProject: Bool) {
    guard let index = json["index"]?.integer, let name = json["name"]?.array else { return nil }
    self.index = Int(index)
    declaredName = name.compactMap(\.string)
    self.name = declaredName
    file = script.name
    id = ([script.name] + self.name).joined(separator: " > ")
    line = json["line"]?.integer.map(Int.init) ?? 1
    tags = json["tags"]?.array?.compactMap(\.string) ?? []
    mark = json["state"]?.string.flatMap(Mark.init)
    reason = json["reason"]?.string
    timeout = json["timeout"]?.number
    retries = json["retries"]?.integer.map(Int.init)
    self.isParallel = isParallel
    self.keepsProject = keepsProject
  }
}
