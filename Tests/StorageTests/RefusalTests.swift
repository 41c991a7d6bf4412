import Foundation
import Glibc
import Testing

@testable import Storage

/// What is not a state file is refused and stays as it is, with all that is beside it.
@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Fails to open the file, and checks that nothing in the folder changed.
  private func refusal(_ name: String = "state.db") throws -> JournalError {
    let before = try folder.contents()
    let error = try #require(throws: JournalError.self) {
      try StateFile(path: folder.file(name))
    }
    #expect(try folder.contents() == before)
    #expect(!error.message.isEmpty && !error.hint.isEmpty)
    return error
  }

  private func write(_ bytes: some Sequence<UInt8>, to name: String = "state.db") throws {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
  }

  /// Makes a state file of some pages and gives its bytes.
  private func stateFile() throws -> Data {
    let file = try StateFile(path: folder.file())
    for number in 0..<400 {
      file.put("users", key: "key \(number)", value: [UInt8](repeating: 65, count: 300))
    }
    try file.commit()
    file.close()
    return try Data(contentsOf: URL(fileURLWithPath: folder.file()))
  }

  @Test(arguments: [1, 16, 99, 100, 4096, 50_000])
  func `random bytes are no state file`(count: Int) throws {
    var generator = SystemRandomNumberGenerator()
    try write((0..<count).map { _ in UInt8.random(in: 1...255, using: &generator) })
    #expect(try refusal().code == .foreign)
  }

  @Test(arguments: [0, 0x4C55_4155] as [Int32])
  func `another program's database is no state file`(applicationID: Int32) throws {
    let other = Schema(
      kind: "cookbook", applicationID: applicationID,
      migrations: ["CREATE TABLE recipes (name TEXT)"])
    let database = try Database.open(
      path: folder.file(), schema: other, durability: .processDeath)
    try database.run("INSERT INTO recipes VALUES ('soup')")
    // A copy made while the log still holds rows.
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("state.db\(suffix)"), toPath: folder.file("copy.db\(suffix)"))
    }
    database.close()

    #expect(try refusal().code == .foreign)
    #expect(try refusal("copy.db").code == .foreign)
  }

  @Test func `a file of a later version is refused`() throws {
    _ = try stateFile()
    let database = try Database.open(
      path: folder.file(), schema: StateFile.schema, durability: .processDeath)
    try database.run("INSERT INTO luath_schema VALUES (99)")
    try FileManager.default.copyItem(
      atPath: folder.file("state.db"), toPath: folder.file("copy.db"))
    try FileManager.default.copyItem(
      atPath: folder.file("state.db-wal"), toPath: folder.file("copy.db-wal"))
    database.close()

    let error = try refusal()
    #expect(error.code == .newer)
    #expect(error.message.contains("99"))
    // The version is in the log only, which must stay beside the file.
    #expect(try refusal("copy.db").code == .newer)
  }

  @Test func `a file without a version is damaged`() throws {
    let database = try Database.open(
      path: folder.file(),
      schema: Schema(
        kind: "state file", applicationID: StateFile.schema.applicationID, migrations: []),
      durability: .processDeath)
    database.close()
    #expect(try refusal().code == .damaged)
  }

  @Test(arguments: [50, 71, 99, 100, 1000, 4096, 4097, 20_000, 40_960])
  func `a file that was cut off is damaged`(length: Int) throws {
    let whole = try stateFile()
    try #require(whole.count > 45_000)
    try write(whole.prefix(length))
    #expect(try refusal().code == .damaged)
  }

  @Test func `a broken page is found before anything is read`() throws {
    let whole = try stateFile()
    for page in 1..<whole.count / 4096 {
      var broken = whole
      let start = page * 4096
      broken.replaceSubrange(start..<start + 4096, with: [UInt8](repeating: 0xA5, count: 4096))
      try write(broken)
      #expect(try refusal().code == .damaged, "page \(page + 1)")
    }
  }

  @Test func `a path without a directory is unusable`() throws {
    #expect(try refusal("missing/state.db").code == .unusablePath)
    try write([1], to: "plain")
    #expect(try refusal("plain/state.db").code == .unusablePath)
  }

  @Test func `what is not a plain file is unusable`() throws {
    #expect(try refusal("").code == .unusablePath)
    #expect(try refusal("state\0.db").code == .unusablePath)
    #expect(throws: JournalError.self) { try StateFile(path: "") }
    try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
    let error = try #require(throws: JournalError.self) {
      try StateFile(path: folder.file("pipe"))
    }
    #expect(error.code == .unusablePath)
  }

  @Test func `messages show no control characters of the path`() throws {
    let error = try refusal("missing\u{1b}[2J/state.db")
    #expect(error.message.contains("missing?[2J/state.db"))
    #expect(!error.description.unicodeScalars.contains { $0.value < 32 })
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everything"))
  func `a file that may only be read is refused`() throws {
    _ = try stateFile()
    try #require(chmod(folder.file(), 0o400) == 0)
    #expect(try refusal().code == .readOnly)
  }

  @Test func `a second opening in one process is refused and the first goes on`() throws {
    let first = try StateFile(path: folder.file())
    first.put("a", "1", "v")
    try first.commit()
    let error = try #require(throws: JournalError.self) { try StateFile(path: folder.file()) }
    #expect(error.code == .inUse)
    first.put("a", "2", "v")
    try first.commit()
    first.close()
    #expect(try StateFile(path: folder.file()).lines() == ["a/1=v", "a/2=v"])
  }

  @Test func `another process is refused while the file is in use`() async throws {
    let first = try StateFile(path: folder.file())
    let path = folder.file()
    // A refusal within this process must not give up the lock. (Reading the file in another way
    // would: closing any descriptor of a file releases all locks that the process has on it.)
    #expect(throws: JournalError.self) { try StateFile(path: path) }
    await #expect(processExitsWith: .success) { [path = path as String] in
      let error = try #require(throws: JournalError.self) { try StateFile(path: path) }
      #expect(error.code == .inUse)
    }
    first.close()
    await #expect(processExitsWith: .success) { [path = path as String] in
      let file = try StateFile(path: path)
      file.put("a", "1", "v")
      try file.commit()
      file.close()
    }
    #expect(try StateFile(path: path).lines() == ["a/1=v"])
  }
}
