import System
import Glibc

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
