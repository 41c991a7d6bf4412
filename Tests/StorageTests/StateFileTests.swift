import Foundation
@testable import Storage
import Testing

@Suite(.timeLimit(.minutes(1))) struct StateFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `committed rows come back in the order of their first put`() throws {
    let file = try StateFile(path: folder.file())
    file.put("users/p", "zoe", "1")
    file.put("users/p", "ada", "2")
    file.put("config", "zoe", "3")
    try file.commit()
    file.put("users/p", "zoe", "4")
    try file.commit()
    file.close()

    let again = try StateFile(path: folder.file())
    #expect(try again.lines() == ["users/p/zoe=4", "users/p/ada=2", "config/zoe=3"])
  }

  @Test func `rows that were not committed are gone after closing`() throws {
    let file = try StateFile(path: folder.file())
    file.put("a", "kept", "1")
    try file.commit()
    file.put("a", "lost", "1")
    file.delete("a", key: "kept")
    file.close()

    #expect(try StateFile(path: folder.file()).lines() == ["a/kept=1"])
  }

  @Test func `names are compared by bytes`() throws {
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"
    let file = try StateFile(path: folder.file())
    file.put(composed, composed, "1")
    file.put(composed, decomposed, "2")
    file.put(decomposed, composed, "3")
    file.put("A", "k", "4")
    file.put("a", "K", "5")
    file.put("a", "k\0more", "6")
    file.put("a", "k", "7")
    file.delete("a", key: "k")
    try file.commit()
    file.close()

    var keys: [[UInt8]] = []
    try StateFile(path: folder.file()).forEach {
      keys.append(Array($0.collection.utf8) + [0xff] + Array($0.key.utf8))
    }
    let expected = [
      (composed, composed), (composed, decomposed), (decomposed, composed), ("A", "k"), ("a", "K"),
      ("a", "k\0more"),
    ]
    #expect(keys == expected.map { Array($0.0.utf8) + [0xff] + Array($0.1.utf8) })
  }

  @Test func `empty names and values are kept`() throws {
    let file = try StateFile(path: folder.file())
    file.put("", "", "")
    try file.commit()
    file.close()
    #expect(try StateFile(path: folder.file()).lines() == ["/="])
  }

  @Test func `values may hold any bytes and be long`() throws {
    let value = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    let file = try StateFile(path: folder.file())
    file.put("a", key: "k", value: value)
    try file.commit()
    file.close()
    var found: [UInt8] = []
    try StateFile(path: folder.file()).forEach { found = $0.value }
    #expect(found == value)
  }

  @Test func `removing by prefix takes those collections only`() throws {
    let file = try StateFile(path: folder.file())
    for name in ["users/a/", "users/a/t1", "users/ab/", "config/a/", "users/"] {
      file.put(name, "k", "v")
    }
    try file.commit()
    file.deleteAll(inCollectionsFrom: "users/a/")
    file.put("users/a/", "new", "v")
    try file.commit()
    let rest = ["users/ab//k=v", "config/a//k=v", "users//k=v", "users/a//new=v"]
    #expect(try file.lines() == rest)
    file.deleteAll(inCollectionsFrom: "")
    try file.commit()
    #expect(try file.lines().isEmpty)
  }

  @Test func `a body that throws ends the reading and leaves the file usable`() throws {
    struct Enough: Error {}
    let file = try StateFile(path: folder.file())
    file.put("a", "1", "v")
    file.put("a", "2", "v")
    try file.commit()
    #expect(throws: Enough.self) { try file.forEach { _ in throw Enough() } }
    #expect(try file.lines() == ["a/1=v", "a/2=v"])
  }

  @Test func `only its owner can read the file and those beside it`() throws {
    let file = try StateFile(path: folder.file())
    file.put("a", "k", "v")
    try file.commit()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(names) == ["state.db", "state.db-wal"])
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
    file.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state.db"])
  }

  @Test func `rights of others are taken from a file that is there`() throws {
    let path = folder.file()
    try StateFile(path: path).close()
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    let file = try StateFile(path: path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    file.close()
  }

  @Test func `a symbolic link is refused, and what it leads to stays`() throws {
    let other = folder.file("other")
    try Data("kept".utf8).write(to: URL(fileURLWithPath: other))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file(), withDestinationPath: other)
    let error = try #require(throws: JournalError.self) { try StateFile(path: folder.file()) }
    #expect(error.message.contains("it is a symbolic link"))
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "kept")
  }

  @Test func `an empty file becomes a state file`() throws {
    try Data().write(to: URL(fileURLWithPath: folder.file()))
    let file = try StateFile(path: folder.file())
    file.put("a", "k", "v")
    try file.commit()
    file.close()
    #expect(try StateFile(path: folder.file()).lines() == ["a/k=v"])
  }

  @Test(arguments: Durability.allCases)
  func `the log beside the file stays small`(durability: Durability) throws {
    let file = try StateFile(path: folder.file(), durability: durability)
    let value = [UInt8](repeating: 7, count: 60_000)
    // Far more than the log may hold, in one commit and then in some small ones.
    for number in 0..<300 { file.put("a", key: "\(number)", value: value) }
    try file.commit()
    for number in 0..<200 {
      file.put("a", key: "\(number)", value: [UInt8(number)] + value)
      try file.commit()
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("state.db-wal"))
    #expect(try #require(attributes[.size] as? Int) <= 8 << 20)
  }

  @Test func `a file that was moved away takes no more commits`() throws {
    let file = try StateFile(path: folder.file())
    file.put("a", "1", "v")
    try file.commit()
    try FileManager.default.moveItem(atPath: folder.file(), toPath: folder.file("other"))
    file.put("a", "2", "v")
    for _ in 1...2 {
      let error = try #require(throws: JournalError.self) { try file.commit() }
      #expect(error.code == .moved)
    }
  }
}
