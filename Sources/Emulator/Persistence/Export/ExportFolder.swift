import System
import Glibc

/// The folder that `firebase emulators:export` writes and `--import` reads.
///
/// `firebase-export-metadata.json` names the part of each emulator. Auth's is a folder with `accounts.json`,
/// `accounts-TENANT.json` for each tenant, and `config.json`. Accounts are in the format of `accounts:batchGet`
/// responses, settings in that of the emulator's `config` endpoint.
public enum ExportFolder {
  static let metadata = "firebase-export-metadata.json"
  static let auth = "auth_export"
  static let config = "config.json"
  static let accounts = "accounts.json"
  /// The data that Firebase's format cannot hold; Firebase's tools ignore this file.
  static let further = "luath.json"
  private static let tenantStart = "accounts-"
  private static let tenantEnd = ".json"

  /// The file with a tenant's accounts.
  static func fileName(ofTenant id: String) -> String { tenantStart + id + tenantEnd }

  /// The tenant of a file with accounts; nil for other files.
  static func tenant(ofFile name: String) -> String? {
    guard name.hasPrefix(tenantStart), name.hasSuffix(tenantEnd) else { return nil }
    let id = name.dropFirst(tenantStart.count).dropLast(tenantEnd.count)
    return id.isEmpty ? nil : String(id)
  }

  /// Reads Auth's part of an export.
  ///
  /// As with Firebase, files of accounts and settings may be missing. Throws when the folder is not an export with a
  /// part for Auth, or when a file is malformed.
  public static func read(_ path: String) throws(ExportError) -> ExportedProject {
    let folder = try OpenFolder(at: path)
    try folder.lock(exclusively: false)
    guard let metadata = try readMetadata(in: folder) else {
      throw .init(
        .foreign, "\(path) is no export: it has no \(Self.metadata)",
        hint: "give the folder that was exported to")
    }
    let name = metadata["auth"]?.object?["path"]?.string ?? ""
    // The name must not lead out of the export's folder.
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")),
      let part = try folder.folder(name)
    else {
      throw .init(
        .foreign,
        "the export \(path) has no accounts: its \(Self.metadata) names no folder for auth",
        hint: "export again with the auth emulator running")
    }
    var project = ExportedProject(
      users: try readUsers(accounts, in: part), config: try readObject(config, in: part),
      further: try readObject(further, in: part))
    for file in try part.names() {
      guard let id = tenant(ofFile: file) else { continue }
      project.tenants.append(.init(id: id, users: try readUsers(file, in: part)))
    }
    return project
  }

  /// Throws when an export to the folder would fail, before there is anything to lose.
  public static func check(_ path: String) throws(ExportError) {
    guard access(path, F_OK) == 0 else {
      let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        .joined(separator: "/")
      guard access(parent.isEmpty ? "/" : parent, W_OK | X_OK) == 0 else {
        throw ExportError(errno: errno, at: parent)
      }
      return
    }
    let folder = try OpenFolder(at: path)
    _ = try acceptedMetadata(of: folder)
    guard access(path, W_OK | X_OK) == 0 else { throw ExportError(errno: errno, at: path) }
  }

  /// Whether the folder has an export with a part for Auth.
  public static func holdsExport(_ path: String) throws(ExportError) -> Bool {
    guard access(path, F_OK) == 0 else { return false }
    return try readMetadata(in: OpenFolder(at: path))?["auth"] != nil
  }

  static func readMetadata(in folder: OpenFolder) throws(ExportError) -> JSONObject? {
    try readObject(metadata, in: folder)?.object
  }

  private static func readUsers(
    _ name: String, in folder: OpenFolder
  ) throws(ExportError) -> [JSON] {
    guard let users = try readObject(name, in: folder)?.object?["users"] else { return [] }
    guard let list = users.array else {
      throw .init(
        .malformed, "users is no list in \(folder.path)/\(name)", hint: "correct it or export again"
      )
    }
    return list
  }

  /// The JSON object in a file; nil when the file does not exist.
  private static func readObject(
    _ name: String, in folder: OpenFolder
  ) throws(ExportError) -> JSON? {
    guard let bytes = try folder.read(name) else { return nil }
    let reason: String
    do {
      let value = try JSON.parse(bytes)
      if value.object != nil { return value }
      reason = "it is no object"
    } catch {
      reason = error.description
    }
    throw .init(
      .malformed, "\(folder.path)/\(name) is not an export's JSON: \(reason)",
      hint: "correct it or export again")
  }
}
