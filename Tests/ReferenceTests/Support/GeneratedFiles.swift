import Foundation

/// What `luath __files` writes, by path; written once for all tests.
enum GeneratedFiles {
  static func all() async throws -> [String: String] { try await files.value }

  private static let files = Task {
    try await Program.withFolder { folder in
      let ending = try await Program.run(["__files", "out"], in: folder)
      guard ending.code == 0 else { throw CocoaError(.fileReadUnknown) }
      var files: [String: String] = [:]
      let root = folder.appending(path: "out").standardizedFileURL.resolvingSymlinksInPath().path
      let walker = FileManager.default.enumerator(atPath: root)
      for case let path as String in walker ?? .init() {
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
        guard !isFolder.boolValue else { continue }
        files[path] = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
      }
      return files
    }
  }

  /// Writes some of them below a folder; gives where.
  static func write(_ start: String, below folder: URL) async throws -> [URL] {
    try await all().filter { $0.key.hasPrefix(start) }.map { path, text in
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
      return file
    }
  }
}
