public import System

/// Information about a PostgreSQL server that could hold a shared journal.
public struct PostgresServer: Sendable {
  /// Host, port and database, without user and password.
  public let place: String
  /// The server's version, such as 15.13.
  public let version: String
  /// Whether the user may create the journal's schema.
  public let mayCreate: Bool

  /// Connects to the server and disconnects, with a timeout of about ten seconds.
  ///
  /// Throws `usage` for an invalid address, and `unavailable` for a server that cannot be used.
  public static func look(at url: Secret) async throws(BatchProblem) -> PostgresServer {
    let address = try PostgresAddress(url)
    // Detached, because libpq blocks the calling thread.
    let outcome = await Task.detached { () -> Result<PostgresServer, BatchProblem> in
      do throws(PostgresFailure) {
        let connection = try PostgresConnection(address)
        defer { connection.close() }
        let rows = try connection.run(
          "SELECT has_database_privilege(current_database(), 'CREATE')")
        return .success(
          PostgresServer(
            place: address.shown, version: postgresVersion(connection.serverVersion),
            mayCreate: rows.count == 1 && rows.integer(0, 0) == 1))
      } catch {
        return .failure(error.problem)
      }
    }.value
    return try outcome.get()
  }
}
