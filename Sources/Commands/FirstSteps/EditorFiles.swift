import Encoding
import HTTP
import Reference

/// What editors need to know luath's functions: settings of lua-language-server, and definitions.
enum EditorFiles {
  /// Where the definitions are: beside what luath keeps between runs, as it can write them again.
  static let folder = ".luath/meta"

  /// The settings, which belong to the project.
  static var settings: (path: String, text: String) {
    let file = Catalogue.editorSettings(library: folder)
    return (file.path, file.text)
  }

  /// Writes the definitions of this version, over older ones.
  static func writeDefinitions(below project: String) async throws(CommandFailure) {
    let catalogue: Catalogue
    do throws(HTTPError) { catalogue = try await Catalogue.make() } catch {
      throw CommandFailure(error)
    }
    for file in catalogue.metaFiles {
      let file = GeneratedFile("\(folder)/\(file.path)", file.text)
      if let problem = FilesCommand.write(file, below: project) {
        throw CommandFailure(
          .unavailable, "cannot write \(file.path): \(problem)",
          hint: "only an editor misses it; luath init --editor writes it again")
      }
    }
  }
}
