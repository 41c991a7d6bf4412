import Encoding

/// Requests whose answers by two servers are compared.
public struct Scenario: Sendable {
  /// Its topic and a short name: `passwords/reset twice`.
  public let name: String
  /// What it shows, in one sentence.
  public let about: String
  /// The rules of the emulator without which the answers differ.
  public let rules: [String]
  /// What the project must allow.
  let needs: [Need]
  /// Why only emulators may be asked; nil where a real project may be.
  public let emulatorsOnly: String?
  /// Fields of the project's settings that it needs; they are put back after it.
  let settings: JSONObject
  let steps: [Step]
  /// Steps that undo what the others made, whatever became of them; accounts need none.
  let finally: [Step]

  /// How many requests it sends to a server at most, without retries and without deleting accounts.
  public var requests: Int {
    (steps + finally).reduce(settings.isEmpty ? 0 : 3) { $0 + ($1.advance == 0 ? 1 : 2) }
  }

  init(_ json: JSON, topic: String) throws(CatalogueError) {
    let name = json["name"]?.string ?? ""
    self.name = "\(topic)/\(name)"
    let place = self.name
    func fault(_ problem: String) -> CatalogueError { CatalogueError("\(place): \(problem)") }
    let known: Set = [
      "name", "about", "rules", "needs", "emulatorsOnly", "settings", "steps", "finally",
    ]
    if let key = json.object?.keys.first(where: { !known.contains($0) }) {
      throw fault("a scenario has no member \(key)")
    }
    guard !name.isEmpty, let about = json["about"]?.string else {
      throw fault("a scenario needs name and about")
    }
    self.about = about
    rules = json["rules"]?.array?.compactMap(\.string) ?? []
    var needs: [Need] = []
    for word in json["needs"]?.array ?? [] {
      guard let need = word.string.flatMap(Need.init) else {
        throw fault("there is no need \(word.encoded())")
      }
      needs.append(need)
    }
    self.needs = needs
    settings = json["settings"]?.object ?? [:]
    emulatorsOnly =
      json["emulatorsOnly"]?.string
      ?? (settings.isEmpty ? nil : "it changes the settings of the project")
    steps = try Self.steps(json["steps"], place)
    finally = try Self.steps(json["finally"], place)
    guard !steps.isEmpty else { throw fault("a scenario needs steps") }
  }

  private static func steps(_ json: JSON?, _ place: String) throws(CatalogueError) -> [Step] {
    var steps: [Step] = []
    for row in json?.array ?? [] { steps.append(try Step(row, place)) }
    return steps
  }
}
