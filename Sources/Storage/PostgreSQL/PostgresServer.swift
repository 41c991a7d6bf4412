internal import CPQ
internal import Glibc
internal import Synchronization
public import System

/// Information about a PostgreSQL server that could hold a shared journal.
package struct PostgresServer: Sendable {
  /// Host, port and database, without user and password.
  package let place: String
  /// The server's version, such as 15.13.
  package let version: String
  /// Whether the user may create the journal's schema.
  package let mayCreate: Bool

  /// Connects to the server and disconnects, with a timeout of about ten seconds.
  ///
  /// Throws `usage` for an invalid address, and `unavailable` for a server that cannot be used.
  package static func look(at url: Secret) async throws(QueueProblem) -> PostgresServer {
    let address = try PostgresAddress(url, .batch)
    // Detached, because libpq blocks the calling thread.
    let outcome = await Task.detached { () -> Result<PostgresServer, QueueProblem> in
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

extension SystemLibrary {
  /// libpq, the PostgreSQL client library.
  public static var libpq: SystemLibrary {
    SystemLibrary("libpq", postgresVersion(PQlibVersion()))
  }
}

/// Formats a version number of libpq: 150013 is 15.13 (libpq, PQserverVersion).
func postgresVersion(_ number: Int32) -> String { "\(number / 10_000).\(number % 10_000)" }

/// The events while a queue is opened, which decide whether opening is retried.
package final class PostgresOpening: Sendable {
  private struct State {
    var wasConnected = false
    var isLoading = false
    var wasLost = false
    var isAnnounced = false
  }

  private let state = Mutex(State())
  /// Tells the user what is waited for.
  private let notice: @Sendable (String) -> Void

  package init(notice: @escaping @Sendable (String) -> Void = { _ in }) { self.notice = notice }

  /// Tells the user once what is waited for.
  package func announce(_ words: String) {
    let isFirst = state.withLock { state in
      defer { state.isAnnounced = true }
      return !state.isAnnounced
    }
    if isFirst { notice(words) }
  }

  /// Whether the server was never reached, and does not respond at all.
  package func isAwaited(_ address: PostgresAddress) -> Bool {
    state.withLock { !$0.wasConnected && $0.wasLost } && !PostgresConnection.isServed(address)
  }

  /// Whether the server was reachable and then lost, before any row of the plan was read.
  package var mayTryAgain: Bool {
    state.withLock { $0.wasConnected && $0.wasLost && !$0.isLoading }
  }

  /// Records that the server accepted the connection.
  package func connected() { state.withLock { $0.wasConnected = true } }

  package func beginLoading() { state.withLock { $0.isLoading = true } }

  package func failed(_ failure: PostgresFailure) {
    state.withLock { state in
      if case .lost = failure { state.wasLost = true } else { state.wasLost = false }
    }
  }
}

extension PostgresOpening {
  /// Checks that the server can be used; waits for one that does not respond.
  ///
  /// - Parameters:
  ///   - patience: How long to wait.
  ///   - isOver: Whether the user does not want to wait any longer.
  ///   - notice: Called once with what is waited for.
  package static func wait(
    for address: PostgresAddress, patience: Duration, unless isOver: @Sendable () -> Bool,
    notice: @escaping @Sendable (String) -> Void
  ) async throws(QueueProblem) {
    let opening = PostgresOpening(notice: notice)
    let start = ContinuousClock.now
    while true {
      // Detached, because libpq blocks the calling thread.
      let failure = await Task.detached { () -> PostgresFailure? in
        do throws(PostgresFailure) {
          try PostgresConnection(address).close()
          return nil
        } catch {
          opening.failed(error)
          return opening.isAwaited(address) ? error : .refused(error.problem)
        }
      }.value
      guard let failure else { return }
      guard case .lost = failure, start.duration(to: .now) < patience, !isOver() else {
        throw failure.problem
      }
      opening.announce(
        "PostgreSQL at \(address.shown) does not respond; waiting for it, at most "
          + "\(Int(patience / .seconds(1))) seconds")
      try? await Task.sleep(for: .milliseconds(500))
    }
  }
}
