import Foundation

/// A folder for one test, gone with it.
final class ScratchFolder {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory.appending(
        path: "luath-delegates-\(UInt64.random(in: .min ... .max))"
      ).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    _ = chmod(path, 0o700)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// All files below, by their path from here.
  var files: [String: String] {
    var found: [String: String] = [:]
    for name in FileManager.default.subpaths(atPath: path) ?? [] {
      guard let data = FileManager.default.contents(atPath: "\(path)/\(name)") else { continue }
      found[name] = String(decoding: data, as: UTF8.self)
    }
    return found
  }

  /// The permissions of a file or folder below.
  func mode(_ name: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
    return (facts[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }
}
