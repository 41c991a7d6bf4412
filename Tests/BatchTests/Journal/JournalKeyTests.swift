@testable import System
import Foundation
@testable import Storage
import Testing

@testable import Batch

/// Keys of journals, and what a journal with one gives away.
@Suite(.timeLimit(.minutes(3))) struct JournalKeyTests {
  private static let bytes = (1...32).map { UInt8($0 * 7) }
  private let folder: JournalFolder
  private let first = BatchRun(number: 1, kind: .run)

  init() throws { folder = try JournalFolder() }

  private func write(_ content: [UInt8], mode: mode_t = 0o600) throws -> String {
    let path = folder.file("key")
    try Data(content).write(to: URL(fileURLWithPath: path))
    try #require(chmod(path, mode) == 0)
    return path
  }

  private static func key(_ seed: UInt8 = 1) throws -> JournalKey {
    try #require(JournalKey(SecretBytes([UInt8](repeating: seed, count: 32))))
  }

  @Test func `a key file holds 32 bytes, base 64 or hexadecimal`() async throws {
    let journal = try await SQLiteJournal.open(
      path: folder.file(), key: JournalKey(SecretBytes(Self.bytes)),
      plan: JournalFixture.plan(count: 1))
    await journal.close()
    let base64 = Base64.encode(Self.bytes)
    let spellings = [
      Self.bytes, Array(base64.utf8), Array("\(base64)\n".utf8),
      Array("  \(Base64URL.encode(Self.bytes))\r\n".utf8), Array(Hex.encode(Self.bytes).utf8),
      Array("\(Hex.encode(Self.bytes).uppercased())\n".utf8),
    ]
    for spelling in spellings {
      let key = try JournalKey.read(try write(spelling))
      #expect(key.warning == nil)
      // The right key opens the journal.
      let journal = try await SQLiteJournal.open(path: folder.file(), key: key, plan: nil)
      await journal.close()
    }
  }

  @Test func `a key file that others can read is told about`() throws {
    for mode in [0o640, 0o604, 0o660] as [mode_t] {
      let key = try JournalKey.read(try write(Self.bytes, mode: mode))
      #expect(key.warning == "the key file \(folder.file("key")) can be read by others")
    }
  }

  @Test(
    arguments: [
      [], [1], Array(repeating: 7, count: 31), Array(repeating: 7, count: 33),
      Array("0123456789abcdef0123456789abcdef".utf8), Array("c2VjcmV0".utf8),
      Array("not a key at all, only words in a file".utf8), Array(repeating: 65, count: 100_000),
    ] as [[UInt8]])
  func `a file that holds anything else is refused and not quoted`(content: [UInt8]) throws {
    let path = try write(content)
    let problem = #expect(throws: BatchProblem.self) { try JournalKey.read(path) }
    #expect(problem?.code == .usage)
    #expect(problem?.message.contains("32 bytes") == true)
    #expect(problem?.hint.contains("openssl rand") == true)
    if content.count > 4 {
      let start = String(decoding: content.prefix(8), as: UTF8.self)
      #expect(problem?.message.contains(start) == false)
    }
  }

  @Test func `a missing key file is named`() {
    let problem = #expect(throws: BatchProblem.self) {
      try JournalKey.read(folder.file("none\u{1b}"))
    }
    #expect(problem?.message.contains("none?") == true)
    #expect(problem?.code == .usage)
  }

  @Test(arguments: JournalEngine.available)
  func `a missing, a wrong and a needless key are told when the journal is opened`(
    engine: JournalEngine
  ) async throws {
    let sealed = try await engine.place()
    defer { sealed.keep() }
    let plan = JournalFixture.plan(count: 1)
    try await sealed.open(key: try Self.key(), plan: plan).close()
    let missing = await #expect(throws: BatchProblem.self) { try await sealed.open(plan: plan) }
    #expect(missing?.message.contains("is encrypted") == true)
    let wrong = await #expect(throws: BatchProblem.self) {
      try await sealed.open(key: try Self.key(2), plan: plan)
    }
    #expect(wrong?.message.contains("not the one") == true)
    let plain = try await engine.place()
    defer { plain.keep() }
    try await plain.open(plan: plan).close()
    let needless = await #expect(throws: BatchProblem.self) {
      try await plain.open(key: try Self.key(), plan: plan)
    }
    #expect(needless?.message.contains("not encrypted") == true)
    for problem in [missing, wrong, needless] { #expect(problem?.code == .usage) }
  }

  @Test(arguments: JournalEngine.available)
  func `errors of rows and steps are encrypted too`(engine: JournalEngine) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    var refused = JournalFixture.row(2)
    refused.decision = .refuse(RowFailure("taken", "ada@example.com is taken"))
    let journal = try await place.open(
      key: try Self.key(), plan: JournalFixture.plan([JournalFixture.row(1), refused]))
    let fault = RowFailure("emailAlreadyInUse", "bo@example.com is bo's")
    _ = try await journal.claim(first, atMost: 1)
    try await journal.intend(first, JournalFixture.intent(1))
    journal.settle(
      first, JournalFixture.outcome(1, 1, .failed, fault: fault), row: 1, end: .failed, fault: fault
    )
    try await journal.flush()
    var query = RowQuery()
    query.withSteps = true
    let rows = try await JournalFixture.all(of: journal, first, query)
    #expect(rows.map(\.fault?.message) == ["bo@example.com is bo's", "ada@example.com is taken"])
    #expect(rows[0].steps.map(\.outcome?.fault?.message) == ["bo@example.com is bo's"])
    await journal.close()
    if let place = place as? SQLitePlace {
      let text = String(
        decoding: try Data(contentsOf: URL(fileURLWithPath: place.folder.file())), as: UTF8.self)
      #expect(!text.contains("@example.com") && text.contains("emailAlreadyInUse"))
    }
  }

  @Test func `an encrypted journal holds nothing of accounts in the clear`() async throws {
    let journal = try await SQLiteJournal.open(
      path: folder.file(), key: try Self.key(), plan: JournalFixture.plan(count: 2))
    try await journal.intend(first, JournalFixture.intent(1, hash: "sEcReThAsH"))
    // While it is open, the log holds what was written last.
    for name in ["plan.journal", "plan.journal-wal"] {
      let content = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
      #expect(content.count > 1000 || name.hasSuffix("wal"))
      for secret in ["sEcReThAsH", "passwordHash", "displayName", "key 1", "because"] {
        #expect(content.range(of: Data(secret.utf8)) == nil, "\(secret) in \(name)")
      }
    }
  }

  @Test(arguments: [
    "UPDATE steps SET before = (SELECT before FROM steps WHERE row_id & 3 = 2) WHERE row_id & 3 = 1",
    "UPDATE steps SET before = change",
    "UPDATE plans SET planned = (SELECT planned FROM plans WHERE id & 3 = 2)",
    "UPDATE plans SET planned = zeroblob(40)",
    "UPDATE steps SET change = substr(change, 1, 20)",
  ])
  func `values cannot be swapped or changed`(change: StaticString) async throws {
    let key = try Self.key()
    let journal = try await SQLiteJournal.open(
      path: folder.file(), key: key, plan: JournalFixture.plan(count: 2))
    try await journal.intend(first, JournalFixture.intent(1))
    try await journal.intend(first, JournalFixture.intent(2))
    await journal.close()
    let database = try Database.open(
      path: folder.file(),
      schema: SQLiteTables.schema,
      durability: .processDeath)
    try database.run(change)
    database.close()

    let changed = try await SQLiteJournal.open(path: folder.file(), key: key, plan: nil)
    let problem = await #expect(throws: BatchProblem.self) {
      _ = try await changed.claim(first, atMost: 2)
    }
    #expect(problem?.code == .unavailable)
    #expect(problem?.message.contains("row 1 of run 1 was changed") == true)
    await changed.close()
  }
}
