extension Database {
  /// Checks the file and migrates it to the schema's version, inside the open transaction.
  func migrate(to schema: Schema) throws(JournalError) {
    var version: Int64 = 0
    if try integer("SELECT count(*) FROM sqlite_schema") == 0 {
      try runScript(
        """
        PRAGMA application_id = \(schema.applicationID);
        CREATE TABLE luath_schema (version INTEGER PRIMARY KEY) STRICT;
        """)
    } else {
      version = try currentVersion()
      guard version <= schema.version else {
        throw file.newer(version, known: schema.version)
      }
      try checkStructure()
    }
    for (number, sql) in zip(1..., schema.migrations) where number > version {
      try runScript(sql.description)
      try run("INSERT INTO luath_schema (version) VALUES (?)", [.integer(Int64(number))])
    }
  }

  private func currentVersion() throws(JournalError) -> Int64 {
    let tables = try integer("SELECT count(*) FROM sqlite_schema WHERE name = 'luath_schema'")
    guard tables == 1 else { throw file.damaged("it has no version") }
    let version = try integer("SELECT max(version) FROM luath_schema")
    guard version > 0 else { throw file.damaged("it has no version") }
    return version
  }

  /// Checks every page once, because SQLite notices a damaged page only when it reads it.
  private func checkStructure() throws(JournalError) {
    let finding = try text("PRAGMA quick_check(1)")
    guard finding == "ok" else {
      // If there are several lines, the first is a heading.
      let line = finding.split(separator: "\n").last ?? "no answer"
      throw file.damaged(String(line))
    }
  }
}
