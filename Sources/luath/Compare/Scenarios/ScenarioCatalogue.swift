import Host
import System

/// The scenarios of `luath compare`, embedded in this program.
enum ScenarioCatalogue {
  /// All scenarios, in the order of the file names and then within each file.
  static func scenarios() throws(CatalogueError) -> [Scenario] {
    var scenarios: [Scenario] = []
    for (file, text) in EmbeddedCatalogue.files.sorted(by: { $0.key < $1.key }) {
      let json: JSON
      do { json = try JSON.parse(text.description) } catch {
        throw CatalogueError("\(file): \(error.description)")
      }
      for row in json["scenarios"]?.array ?? [] {
        scenarios.append(try Scenario(row, topic: json["topic"]?.string ?? file))
      }
    }
    return scenarios
  }
}
