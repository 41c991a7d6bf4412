@testable import System
import Foundation

/// A file of `firebase auth:export` that is gone with its value.
final class TemporaryExport: Sendable {
  let path: String

  convenience init(_ users: [JSON]) throws {
    try self.init(text: JSON.object(["users": .array(users)]).encoded(pretty: true))
  }

  init(text: String) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID()).json").path
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
