/// The tables of a queue in their own schema of the database, by version.
package struct QueueSchema: Sendable {
  /// The statements of each version, which change the tables of the version before it; each adds its number to
  /// `luath_schema`.
  let versions: [String]
  /// A table that only such a queue has; a schema without it belongs to something else.
  let mark: String

  package init(mark: String, versions: [String]) {
    self.mark = mark
    self.versions = versions
  }

  /// Does the same as `prepare`, while other processes that do so wait.
  package func prepareAlone(
    _ address: PostgresAddress, on connection: PostgresConnection
  ) throws(PostgresFailure) {
    // The lock ends with the connection, if this process dies.
    try connection.run("SELECT pg_advisory_lock(hashtext($1))", [.text(address.schema)])
    defer {
      _ = try? connection.run("SELECT pg_advisory_unlock(hashtext($1))", [.text(address.schema)])
    }
    try prepare(address, on: connection)
  }

  /// Creates the tables if they do not exist, and changes those of an earlier version; the caller must hold the lock.
  package func prepare(
    _ address: PostgresAddress, on connection: PostgresConnection
  ) throws(PostgresFailure) {
    let noun = address.use.noun
    let found = try connection.run(
      "SELECT count(*) FROM pg_tables WHERE schemaname = $1 AND tablename IN ('luath_schema', $2)",
      [.text(address.schema), .text(mark)])
    var version: Int64 = 0
    if found.integer(0, 0) < 2 {
      let others = try connection.run(
        "SELECT count(*) FROM pg_tables WHERE schemaname = $1", [.text(address.schema)])
      guard others.integer(0, 0) == 0 else {
        throw .refused(
          QueueProblem(
            .usage, "the schema \(address.schema) at \(address.shown) is not a \(noun) of luath",
            hint: "name another \(noun) at the end of --queue: #NAME"))
      }
    } else {
      version = try connection.run("SELECT max(version) FROM luath_schema").integer(0, 0)
    }
    guard version <= versions.count else {
      throw .refused(
        QueueProblem(
          .usage,
          "a later luath wrote the \(noun) at \(address.shown): version \(version), "
            + "known is \(versions.count)",
          hint: "use that version of luath, or name another \(noun) at the end of --queue: #NAME"))
    }
    guard version < versions.count else { return }
    try connection.script("BEGIN; CREATE SCHEMA IF NOT EXISTS \(address.schema)")
    for statements in versions[Int(version)...] { try connection.script(statements) }
    try connection.script("COMMIT")
  }
}
