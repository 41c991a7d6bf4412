internal import System
internal import Glibc

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

extension ExportFolder {
  /// Where the new part is created; when the export is not locked, this folder is a leftover.
  private static let work = ".luath-export"

  /// Writes a whole export and replaces an older one.
  ///
  /// The folder is created if needed. Parts of other emulators in it stay. A folder with other contents is refused.
  /// The older accounts are replaced in one step, after the new ones are complete and on the disk. Accounts have
  /// password hashes, so only the owner can read the files.
  /// - Parameter version: luath's version, for the metadata.
  public static func write(
    _ project: ExportedProject, to path: String, version: String
  ) throws(ExportError) {
    let files = try files(of: project)
    let isNew = mkdir(path, 0o700) == 0
    guard isNew || errno == EEXIST else { throw ExportError(errno: errno, at: path) }
    do throws(ExportError) {
      let folder = try OpenFolder(at: path)
      try folder.lock(exclusively: true)
      let metadata = try acceptedMetadata(of: folder) ?? JSONObject()
      try folder.remove(work)
      let workshop = try folder.makeFolder(work)
      do throws(ExportError) {
        try write(files, metadata: updated(metadata, version: version), by: workshop, to: folder)
      } catch {
        try? folder.remove(work)
        throw error
      }
      try folder.remove(work)
    } catch {
      if isNew { rmdir(path) }
      throw error
    }
  }

  private static func write(
    _ files: [(name: String, bytes: [UInt8])], metadata: JSONObject, by workshop: OpenFolder,
    to folder: OpenFolder
  ) throws(ExportError) {
    let part = try workshop.makeFolder(auth)
    for file in files { try part.write(file.bytes, to: file.name) }
    try part.synchronize()
    try workshop.write(JSON.object(metadata).encodedBytes(pretty: true), to: Self.metadata)
    if try folder.folder(auth) == nil {
      try workshop.move(auth, into: folder, as: auth)
    } else {
      try folder.exchange(auth, with: workshop, auth)
    }
    // Write the metadata last, because it makes the folder an export.
    try workshop.move(Self.metadata, into: folder, as: Self.metadata)
    try folder.synchronize()
  }

  /// The metadata of an older export; nil in a folder without one that may receive one.
  static func acceptedMetadata(of folder: OpenFolder) throws(ExportError) -> JSONObject? {
    let metadata = try readMetadata(in: folder)
    // Ignore our own leftovers from a killed process.
    let others = try folder.names().filter { $0 != work && $0 != auth && $0 != Self.metadata }
    if let other = others.first, metadata == nil { throw foreign(folder, other) }
    let accounts = try folder.folder(auth)?.names() ?? []
    let known = [config, self.accounts, further]
    if let other = accounts.first(where: { !known.contains($0) && tenant(ofFile: $0) == nil }) {
      throw foreign(folder, "\(auth)/\(other)")
    }
    return metadata
  }

  private static func foreign(_ folder: OpenFolder, _ name: String) -> ExportError {
    .init(
      .foreign, "\(folder.path) holds something else than an export: \(name)",
      hint: "give a new or an empty folder, or one that was exported to")
  }

  private static func updated(_ metadata: JSONObject, version: String) -> JSONObject {
    var metadata = metadata
    if metadata["version"] == nil { metadata["version"] = .string(version) }
    metadata["auth"] = ["version": .string(version), "path": .string(auth)]
    return metadata
  }

  private static func files(
    of project: ExportedProject
  ) throws(ExportError) -> [(name: String, bytes: [UInt8])] {
    var files = [(accounts, bytes(of: project.users))]
    for tenant in project.tenants {
      let name = fileName(ofTenant: tenant.id)
      let isName = !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0)
      guard !tenant.id.isEmpty, isName, name.utf8.count <= Int(NAME_MAX) else {
        throw .init(
          .unusableTenant, "a tenant's id of \(tenant.id.utf8.count) bytes cannot name a file",
          hint: "delete the tenant, or give it an id of letters, digits and hyphens")
      }
      files.append((name, bytes(of: tenant.users)))
    }
    if let settings = project.config { files.append((config, settings.encodedBytes())) }
    if let more = project.further { files.append((further, more.encodedBytes())) }
    return files
  }

  private static func bytes(of users: [JSON]) -> [UInt8] {
    let answer: JSON = [
      "kind": "identitytoolkit#DownloadAccountResponse", "users": .array(users),
    ]
    return answer.encodedBytes()
  }
}

/// Why an export folder could not be read or written; messages name files, never their contents.
public struct ExportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure.
  enum Code: String, Sendable, CaseIterable {
    /// The folder does not exist, or its parent folder does not.
    case missing
    /// The folder contains something else, and was left unchanged.
    case foreign
    /// A file in the folder is not in the export format.
    case malformed
    /// Another process is writing or reading the folder.
    case inUse
    /// A tenant's id cannot be part of a file name.
    case unusableTenant
    case notPermitted
    /// The disk or the quota of this process is full.
    case full
    /// The operating system reported a read or write error.
    case inputOutput
  }

  /// The kind of failure.
  let code: Code
  /// What happened, with the name of the file or folder.
  public let message: String
  /// What the user can do about it.
  public let hint: String

  init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  init(errno code: Int32, at path: String) {
    let reason = SystemError(code).message
    switch code {
    case ENOENT:
      self.init(.missing, "there is no folder \(path)", hint: "create it or give another path")
    case ENOTDIR:
      self.init(.missing, "\(path) is not a folder", hint: "give the path of a folder")
    case EACCES, EPERM, EROFS:
      self.init(
        .notPermitted, "\(path) may not be used: \(reason)",
        hint: "change the permissions or give another path")
    case ENOSPC, EDQUOT, EFBIG:
      self.init(
        .full, "the disk is full: cannot write \(path)",
        hint: "free some disk space or raise the limit")
    case EWOULDBLOCK:
      self.init(
        .inUse, "another process reads or writes the export \(path)", hint: "wait until it is done")
    default:
      self.init(
        .inputOutput, "\(path) could not be read or written: \(reason)", hint: "check the disk")
    }
  }

  /// The message and the hint.
  public var description: String { "\(message); \(hint)" }
}
