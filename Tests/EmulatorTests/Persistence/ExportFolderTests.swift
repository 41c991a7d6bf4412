@testable import System
import Foundation
import Testing

@testable import Emulator

@Suite(.timeLimit(.minutes(1))) struct ExportFolderTests {
  private let scratch: ExportScratch
  private static let config: JSON = ["signIn": ["allowDuplicateEmails": false]]
  private static let ada: JSON = ["localId": "ada", "email": "ada@example.com"]
  private static let zoe: JSON = ["localId": "zoe", "displayName": "Zoe\u{301}"]
  private static let metadata = """
    {
      "version": "13.1.0",
      "firestore": {
        "version": "1.18.2",
        "path": "firestore_export",
        "metadata_file": "firestore_export/firestore_export.overall_export_metadata"
      },
      "auth": {
        "version": "13.1.0",
        "path": "auth_export"
      }
    }
    """

  init() throws {
    scratch = try ExportScratch()
  }

  private func write(_ project: ExportedProject) throws {
    try ExportFolder.write(project, to: scratch.export, version: "1.2.3")
  }

  /// Fails to write, and checks that nothing changed.
  private func refusal(_ project: ExportedProject? = nil) throws -> ExportError {
    let before = try scratch.contents()
    let error = try #require(throws: ExportError.self) {
      try write(project ?? .init(users: [Self.zoe], config: nil))
    }
    #expect(try scratch.contents() == before)
    return error
  }

  @Test func `what is written is read`() throws {
    let project = ExportedProject(
      users: [Self.ada, Self.zoe],
      tenants: [.init(id: "a-b", users: [Self.ada]), .init(id: "empty", users: [])],
      config: Self.config)
    try write(project)
    #expect(try ExportFolder.read(scratch.export) == project)
  }

  @Test func `files have the names and the text that Firebase gives them`() throws {
    try write(
      .init(users: [Self.ada], tenants: [.init(id: "t1", users: [])], config: Self.config))
    #expect(
      try scratch.names() == [
        "auth_export", "auth_export/accounts-t1.json", "auth_export/accounts.json",
        "auth_export/config.json", "firebase-export-metadata.json",
      ])
    let kind = #"{"kind":"identitytoolkit#DownloadAccountResponse","users":"#
    #expect(
      try scratch.text("auth_export/accounts.json")
        == kind + #"[{"localId":"ada","email":"ada@example.com"}]}"#)
    #expect(try scratch.text("auth_export/accounts-t1.json") == kind + "[]}")
    #expect(
      try scratch.text("auth_export/config.json") == #"{"signIn":{"allowDuplicateEmails":false}}"#)
    #expect(
      try scratch.text("firebase-export-metadata.json") == """
        {
          "version": "1.2.3",
          "auth": {
            "version": "1.2.3",
            "path": "auth_export"
          }
        }
        """)
  }

  @Test func `only the owner can read accounts`() throws {
    try write(.init(users: [Self.ada], config: Self.config))
    for name in try scratch.names() {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(scratch.export)/\(name)")
      let mode = try #require(attributes[.posixPermissions] as? Int)
      #expect(mode & 0o077 == 0, "\(name)")
    }
  }

  @Test func `an export of Firebase is read, with what it leaves out`() throws {
    try scratch.write(Self.metadata, to: "firebase-export-metadata.json")
    try scratch.write("{}", to: "auth_export/accounts.json")
    try scratch.write(#"{"users":[{"localId":"ada"}]}"#, to: "auth_export/accounts-t-1.json")
    try scratch.write("?", to: "firestore_export/data")
    let project = try ExportFolder.read(scratch.export)
    #expect(project.users == [])
    #expect(project.tenants == [.init(id: "t-1", users: [["localId": "ada"]])])
    #expect(project.config == nil)
  }

  @Test func `an older export is replaced as a whole`() throws {
    try write(.init(users: [Self.ada], tenants: [.init(id: "t", users: [])], config: Self.config))
    let newer = ExportedProject(users: [Self.zoe], config: nil)
    try write(newer)
    #expect(try ExportFolder.read(scratch.export) == newer)
    #expect(try scratch.names(below: "auth_export") == ["accounts.json"])
  }

  @Test func `what other emulators exported stays`() throws {
    try scratch.write(Self.metadata, to: "firebase-export-metadata.json")
    try scratch.write("?", to: "firestore_export/data")
    try write(.init(users: [Self.ada], config: nil))
    #expect(try scratch.text("firestore_export/data") == "?")
    let old = try #require(try JSON.parse(Self.metadata).object)
    let new = try #require(try JSON.parse(scratch.text("firebase-export-metadata.json")).object)
    #expect(new["firestore"] == old["firestore"])
    #expect(new["version"] == "13.1.0")
    #expect(new["auth"] == ["version": "1.2.3", "path": "auth_export"])
  }

  @Test func `an empty folder is written to`() throws {
    try FileManager.default.createDirectory(
      atPath: scratch.export, withIntermediateDirectories: false)
    try write(.init(users: [Self.ada], config: nil))
    #expect(try ExportFolder.read(scratch.export).users == [Self.ada])
  }

  @Test func `what a killed writer left is cleared away`() throws {
    try scratch.write("{", to: ".luath-export/auth_export/accounts.json")
    try scratch.write("{}", to: "auth_export/accounts.json")
    try write(.init(users: [Self.ada], config: nil))
    #expect(
      try scratch.names() == [
        "auth_export", "auth_export/accounts.json", "firebase-export-metadata.json",
      ])
  }

  @Test(arguments: ["notes.txt", "auth_export/notes.txt", ".git/config"])
  func `a folder that holds something else is refused`(name: String) throws {
    try scratch.write("mine", to: name)
    let error = try refusal()
    #expect(error.code == .foreign)
    #expect(error.message.contains("something else"))
    if name.hasPrefix("auth_export/") {
      try scratch.write(Self.metadata, to: "firebase-export-metadata.json")
      #expect(try refusal().code == .foreign)
    }
  }

  @Test func `metadata that is no JSON is not replaced`() throws {
    try scratch.write("{", to: "firebase-export-metadata.json")
    #expect(try refusal().code == .malformed)
  }

  @Test(arguments: ["", "a/b", "nul\0", String(repeating: "t", count: 250)])
  func `a tenant that cannot name a file is refused before anything is written`(
    id: String
  ) throws {
    let project = ExportedProject(users: [], tenants: [.init(id: id, users: [])], config: nil)
    #expect(try refusal(project).code == .unusableTenant)
    try write(.init(users: [Self.ada], config: nil))
    #expect(try refusal(project).code == .unusableTenant)
  }

  @Test func `a tenant given twice leaves the older export and no leftovers`() throws {
    let project = ExportedProject(
      users: [], tenants: [.init(id: "t", users: []), .init(id: "t", users: [])], config: nil)
    #expect(try refusal(project).code == .inputOutput)
    try write(.init(users: [Self.ada], config: nil))
    #expect(try refusal(project).code == .inputOutput)
  }

  @Test func `a path without a folder to make it in is missing`() throws {
    let error = try #require(throws: ExportError.self) {
      try ExportFolder.write(
        .init(users: [], config: nil), to: "\(scratch.path)/no/export", version: "1")
    }
    #expect(error.code == .missing)
    let reading = try #require(throws: ExportError.self) { try ExportFolder.read(scratch.export) }
    #expect(reading.code == .missing)
  }

  @Test func `a file is named as no folder`() throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path, withIntermediateDirectories: true)
    let path = "\(scratch.path)/file"
    try Data().write(to: URL(fileURLWithPath: path))
    for check in [{ _ = try ExportFolder.read(path) }, { try ExportFolder.check(path) }] {
      let error = try #require(throws: ExportError.self) { try check() }
      #expect(error.message == "\(path) is not a folder")
    }
    let error = try #require(throws: ExportError.self) {
      try ExportFolder.check("\(scratch.path)/no/export")
    }
    #expect(error.message == "there is no folder \(scratch.path)/no")
  }

  @Test(arguments: ["{}", #"{"auth":{"path":"../other"}}"#, #"{"auth":{"path":"."}}"#])
  func `a folder without accounts of its own is no export`(metadata: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(scratch.path)/other", withIntermediateDirectories: false)
    try scratch.write(metadata, to: "firebase-export-metadata.json")
    let error = try #require(throws: ExportError.self) { try ExportFolder.read(scratch.export) }
    #expect(error.code == .foreign)
  }

  @Test func `a folder without metadata is no export`() throws {
    try scratch.write("{}", to: "auth_export/accounts.json")
    let error = try #require(throws: ExportError.self) { try ExportFolder.read(scratch.export) }
    #expect(error.code == .foreign)
  }

  @Test(arguments: [#"{"users":["hunter2",]}"#, #"["hunter2"]"#, #"{"users":{"a":"hunter2"}}"#])
  func `accounts that are malformed are named by file and not shown`(text: String) throws {
    try scratch.write(Self.metadata, to: "firebase-export-metadata.json")
    try scratch.write(text, to: "auth_export/accounts.json")
    let error = try #require(throws: ExportError.self) { try ExportFolder.read(scratch.export) }
    #expect(error.code == .malformed)
    #expect(error.message.contains("auth_export/accounts.json"))
    #expect(!error.description.contains("hunter2"))
  }

  @Test func `nobody writes while the export is read`() throws {
    try write(.init(users: [Self.ada], config: nil))
    let reader = try OpenFolder(at: scratch.export)
    try reader.lock(exclusively: false)
    #expect(try refusal().code == .inUse)
    #expect(try ExportFolder.read(scratch.export).users == [Self.ada])
  }

  @Test(arguments: [true, false])
  func `folders change places`(inOneStep: Bool) throws {
    let folder = try OpenFolder(at: scratch.path)
    let other = try folder.makeFolder("other")
    try folder.makeFolder("a").write([1], to: "first")
    try other.makeFolder("b").write([2], to: "second")
    try folder.exchange("a", with: other, "b", inOneStep: inOneStep)
    #expect(try folder.folder("a")?.names() == ["second"])
    #expect(try other.folder("b")?.names() == ["first"])
    #expect(try other.names() == ["b"])
  }
}
