import Foundation

/// A new folder that is removed with this value.
final class ExportScratch: Sendable {
  let path: String
  /// Where the tests export to.
  var export: String { "\(path)/export" }

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "luath-export-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    path = folder.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file below the export, with the folders it needs.
  func write(_ text: String, to name: String) throws {
    let url = URL(fileURLWithPath: "\(export)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(export)/\(name)")), as: UTF8.self)
  }

  /// What every file below the folder holds, with nil for folders.
  func contents() throws -> [String: Data?] {
    var contents: [String: Data?] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      contents.updateValue(FileManager.default.contents(atPath: "\(path)/\(name)"), forKey: name)
    }
    return contents
  }

  func names(below folder: String = "") throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(export)/\(folder)").sorted()
  }
}
