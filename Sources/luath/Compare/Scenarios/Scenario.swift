import Host
import System

/// Requests whose responses by two servers are compared.
struct Scenario: Sendable {
  /// The topic and a short name, such as `passwords/reset twice`.
  let name: String
  /// What it tests, in one sentence.
  let about: String
  /// The emulator rules without which the responses differ.
  let rules: [String]
  let needs: [Need]
  /// Why it runs at emulators only; nil when a real project is allowed too.
  let emulatorsOnly: String?
  /// Settings that are changed for the scenario and restored afterwards.
  let settings: JSONObject
  let steps: [Step]
  /// Steps that always run at the end, to undo the others; accounts need none.
  let finally: [Step]

  /// The largest number of requests to one server, without retries and deletions of accounts.
  var requests: Int {
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
