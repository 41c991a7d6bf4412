import Host
import System
import HTTP
import Reference

/// The files that editors need: settings of lua-language-server and definitions of luath's functions.
enum EditorFiles {
  /// The folder of the definitions: in `.luath`, because they can be generated again.
  static let folder = ".luath/meta"

  /// The settings file, which is part of the project.
  static var settings: (path: String, text: String) {
    let file = Catalogue.editorSettings(library: folder)
    return (file.path, file.text)
  }

  /// Writes the definitions of this version, replacing older ones.
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
