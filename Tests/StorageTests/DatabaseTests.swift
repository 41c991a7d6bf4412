import Testing

@testable import Storage

/// The layer below every store of this module.
@Suite(.timeLimit(.minutes(1))) struct DatabaseTests {
  private let folder: TemporaryFolder
  private static let first: StaticString =
    "CREATE TABLE things (id INTEGER PRIMARY KEY, what ANY, UNIQUE (what)) STRICT"

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(_ migrations: [StaticString] = [Self.first]) throws -> Database {
    try Database.open(
      path: folder.file(),
      schema: Schema(kind: "test file", applicationID: 7, migrations: migrations),
      durability: .powerLoss)
  }

  @Test func `a statement that is still held ends with its database`() throws {
    let database = try open()
    let insert = try database.statement("INSERT INTO things (what) VALUES (?)")
    try insert.run([.integer(1)])
    let rows = try database.statement("SELECT what FROM things").rows()
    #expect(try rows.next()?.integer(0) == 1)
    database.close()
    insert.reset()
    #expect(try open().integer("SELECT what FROM things") == 1)
  }

  @Test func `values keep their type`() throws {
    let database = try open()
    let values: [SQLValue] = [
      .null, .integer(.min), .text("a\0b\u{e9}"), .blob([0, 255]), .utf8("e\u{301}"), .text(""),
      .blob([]),
    ]
    for value in values {
      try database.run("INSERT INTO things (what) VALUES (?)", [value])
    }
    var types: [String] = []
    var bytes: [[UInt8]] = []
    let rows = try database.statement("SELECT typeof(what), what FROM things ORDER BY id").rows()
    while let row = try rows.next() {
      types.append(row.string(0) ?? "?")
      bytes.append(row.bytes(1))
    }
    #expect(types == ["null", "integer", "text", "blob", "blob", "text", "blob"])
    #expect(bytes[0] == [] && bytes[3] == [0, 255] && bytes[5] == [] && bytes[6] == [])
    #expect(bytes[2] == Array("a\0b\u{e9}".utf8))
    #expect(bytes[4] == [0x65, 0xCC, 0x81])
    #expect(try database.integer("SELECT what FROM things WHERE id = 2") == .min)
  }

  @Test func `bytes that are not UTF-8 are no string`() throws {
    let database = try open()
    try database.run("INSERT INTO things (what) VALUES (?)", [.blob([0xff])])
    let rows = try database.statement("SELECT what FROM things").rows()
    let row = try #require(try rows.next())
    #expect(row.string(0) == nil)
  }

  @Test func `errors name the column and no value`() throws {
    let database = try open()
    let insert: StaticString = "INSERT INTO things (what) VALUES (?)"
    try database.run(insert, [.text("hunter2")])
    let error = try #require(throws: JournalError.self) {
      try database.run(insert, [.text("hunter2")])
    }
    #expect(error.code == .internalFailure)
    #expect(error.message.contains("things.what"))
    #expect(!error.description.contains("hunter2"))
    // The statement is usable again.
    try database.run(insert, [.text("other")])
  }

  @Test func `an older file gets the migrations it lacks`() throws {
    let old = try open()
    try old.run("INSERT INTO things (what) VALUES ('kept')")
    old.close()

    let steps: [StaticString] = [
      Self.first, "ALTER TABLE things ADD COLUMN more INTEGER DEFAULT 5",
    ]
    let new = try open(steps)
    #expect(try new.integer("SELECT more FROM things WHERE what = 'kept'") == 5)
    #expect(try new.integer("SELECT max(version) FROM luath_schema") == 2)
    new.close()
    #expect(throws: JournalError.self) { try open() }
  }

  @Test func `a migration that fails leaves the version before it`() throws {
    let old = try open()
    try old.run("INSERT INTO things (what) VALUES ('kept')")
    old.close()

    let steps: [StaticString] = [Self.first, "CREATE TABLE more (a)", "CREATE TABLE things (b)"]
    #expect(throws: JournalError.self) { try open(steps) }
    let same = try open()
    #expect(try same.text("SELECT what FROM things") == "kept")
    #expect(try same.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'more'") == 0)
  }
}
