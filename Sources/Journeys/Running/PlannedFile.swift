import Host
import Synchronization
import System

/// A file of journeys, with those that are to run, in order.
struct PlannedFile: Sendable {
  var script: Script
  /// The journeys that are to run.
  var journeys: [PlannedJourney] = []
  /// Why the journeys of the file could not be read.
  var failure: Failure?
  /// What it sets for load runs; nil for nothing.
  var load: FileLoadSettings?
}

/// A journey that a file declares.
struct PlannedJourney: Sendable {
  /// How a file marks a journey that does not simply run.
  enum Mark: String, Sendable {
    case skip, pending, only
  }

  /// The id: `FILE > name > name`, with ` #2` when that is taken.
  var id: String
  /// The id in the record of earlier runs, the same for all repetitions.
  var recordID: String { repetition.map { String(id.dropLast(Self.note($0).count)) } ?? id }
  /// The id in the record without the path of the file.
  var recordTitle: String { String(Substring(recordID.utf8.dropFirst(file.utf8.count + 3))) }
  /// The number of the repetition, from 2; nil for the first.
  var repetition: Int?
  /// The index that identifies it for the engine.
  var index: Int
  /// The names of the enclosing blocks, then its own, as declared.
  let name: [String]
  /// The path of the file.
  var file: String
  /// The line of the declaration.
  var line: Int
  /// Whether another journey of the file is declared at the same line.
  var sharesLine = false
  /// Its tags and those of the enclosing blocks.
  var tags: [String]
  /// How the file marks it; nil when it simply runs.
  var mark: Mark?
  /// The reason given with the mark.
  var reason: String?
  /// The time limit in seconds; nil for that of the run.
  var timeout: Double?
  /// How often it is retried; nil for the setting of the run.
  var retries: Int?
  /// How often a load run begins it, beside other journeys.
  var weight = 1
  /// Whether it may run in parallel with others of its file.
  var isParallel: Bool
  /// Whether it keeps the emulated project as earlier journeys of the file left it.
  let keepsProject: Bool

  /// Creates a journey without a mark.
  init(id: String, index: Int, name: [String], file: String, line: Int, tags: [String] = []) {
    self.id = id
    self.index = index
    self.name = name
    self.file = file
    self.line = line
    self.tags = tags
    isParallel = false
    keepsProject = false
  }

  /// Returns the journey as a repetition, with its own id.
  func repeated(_ number: Int) -> PlannedJourney {
    guard number > 1 else { return self }
    var again = self
    again.repetition = number
    again.id += Self.note(number)
    return again
  }

  private static func note(_ repetition: Int) -> String { " (run \(repetition))" }

  /// The id in the record of a journey that a run named by its id.
  ///
  /// - Parameter repeats: How often the run played each journey.
  static func recordID(of id: String, repeats: Int) -> String {
    guard repeats > 1, let end = (2...repeats).map(note).first(where: id.hasSuffix) else {
      return id
    }
    return String(id.dropLast(end.count))
  }

  /// The journey's name without the enclosing blocks.
  var ownName: String { name.last ?? "" }

  /// The names, with the suffix that makes the id unique: ` (run 2)`, ` #2`.
  var title: String {
    let plain = "\(file) > \(fullName)"
    return id.hasPrefix(plain) ? fullName + id.dropFirst(plain.count) : fullName
  }

  var fullName: String { name.joined(separator: " > ") }

  /// Reads a journey from the engine's JSON; nil when it is not one.
  init?(_ json: JSON, of script: Script, isParallel: Bool, keepsProject: Bool) {
    guard let index = json["index"]?.integer, let name = json["name"]?.array else { return nil }
    self.index = Int(index)
    self.name = name.compactMap(\.string)
    file = script.name
    id = ([script.name] + self.name).joined(separator: " > ")
    line = json["line"]?.integer.map(Int.init) ?? 1
    tags = json["tags"]?.array?.compactMap(\.string) ?? []
    mark = json["state"]?.string.flatMap(Mark.init)
    reason = json["reason"]?.string
    timeout = json["timeout"]?.number
    retries = json["retries"]?.integer.map(Int.init)
    weight = json["weight"]?.integer.map(Int.init) ?? 1
    self.isParallel = isParallel
    self.keepsProject = keepsProject
  }
}

/// Where the workers of a run get their files.
protocol FileSource: Sendable {
  /// How many workers can have a file at the same time.
  var count: Int { get }
  /// The ids of the journeys that this process is to run; of shared files, those that it has taken.
  var journeys: [String] { get }
  /// Returns a file that no worker has taken yet; nil when there is none, or when `isOver` is true.
  func next(unless isOver: @Sendable () -> Bool) async -> PlannedFile?
  /// Marks a file whose journeys have all run.
  func ended(_ file: PlannedFile) async
}

/// The files of a run that one process carries out.
final class FileQueue: FileSource {
  private let files: Mutex<ArraySlice<PlannedFile>>

  /// The number of files, with each part of a split file counted.
  let count: Int
  let journeys: [String]

  init(_ files: [PlannedFile], workers: Int) {
    let parts = files.flatMap { $0.parts(atMost: workers) }
    journeys = files.flatMap(\.journeys).map(\.id)
    count = parts.count
    self.files = Mutex(parts[...])
  }

  func next(unless isOver: @Sendable () -> Bool) async -> PlannedFile? {
    isOver() ? nil : files.withLock { $0.popFirst() }
  }

  func ended(_ file: PlannedFile) async {}
}

extension PlannedFile {
  /// The parts of the file that different machines may run, each with its key.
  ///
  /// A journey that may run in parallel is a part by itself. The others stay together, because two machines would make
  /// their fixtures twice. A file that does not load is a part too, so that one machine reports it.
  var units: [(key: String, file: PlannedFile)] {
    var units: [(key: String, file: PlannedFile)] = []
    var places: [String: Int] = [:]
    for journey in journeys {
      let key = journey.isParallel ? journey.recordID : script.name
      if let place = places[key] {
        units[place].file.journeys.append(journey)
      } else {
        places[key] = units.count
        var file = self
        file.journeys = [journey]
        units.append((key, file))
      }
    }
    if failure != nil, places[script.name] == nil { units.append((script.name, self)) }
    return units
  }

  /// Splits the file for several workers, if all its journeys may run in parallel.
  fileprivate func parts(atMost workers: Int) -> [PlannedFile] {
    let count = min(workers, journeys.count)
    guard count > 1, failure == nil, journeys.allSatisfy(\.isParallel) else { return [self] }
    return (0..<count).map { part in
      var file = self
      // Interleaved, because neighboring journeys often take equally long.
      file.journeys = stride(from: part, to: journeys.count, by: count).map { journeys[$0] }
      return file
    }
  }
}
