import CPQ
import Glibc
import Synchronization
public import System

/// The address and credentials of a PostgreSQL database; only `shown` may be displayed.
struct PostgresAddress: Sendable {
  /// The URL without `#NAME`.
  let url: Secret
  /// The name of the journal in the database.
  let name: String
  /// The URL with user, host, port and database only, as far as they are given.
  let withoutPassword: String
  let protection: PostgresProtection
  /// Host, port and database, for messages.
  let shown: String
  /// The password in the URL, to remove it from messages.
  private let password: Secret?

  /// Parses `postgres://user:password@host:port/database`, with an optional `#name` for one of several journals in a
  /// database.
  init(_ address: Secret) throws(BatchProblem) {
    let parts = address.reveal().split(
      separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let url = String(parts[0])
    let name = parts.count > 1 ? String(parts[1]) : "batch"
    guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
      throw BatchProblem(
        .usage, "the queue's address is no URL of a PostgreSQL database",
        hint: "write postgres://USER:PASSWORD@HOST:PORT/DATABASE")
    }
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789_".utf8
    guard (1...48).contains(name.utf8.count), name.utf8.allSatisfy(letters.contains) else {
      throw BatchProblem(
        .usage, "the name after '#' in the queue's address is no name of a journal",
        hint: "use small letters, digits and underscores")
    }
    // Ignore libpq's message about a malformed URL: it quotes the URL with the password.
    guard let options = PQconninfoParse(url, nil) else {
      throw BatchProblem(
        .usage, "the queue's address cannot be read as a URL",
        hint: "write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX")
    }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        values[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    self.url = Secret(url)
    self.name = name
    withoutPassword = Self.url(values)
    protection = PostgresProtection(values) { name in
      getenv(name).flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
    }
    password = values["password"].map { Secret($0) }
    let host = values["host"] ?? "the local socket"
    let port = values["port"].map { ":\($0)" } ?? ""
    let database = values["dbname"].map { "/\($0)" } ?? ""
    shown = harmlessLine(host + port + database)
  }

  /// The schema of the journal's tables.
  var schema: String { "luath_\(name)" }

  private static func url(_ values: [String: String]) -> String {
    let user = values["user"].map { "\(encoded($0))@" } ?? ""
    let database = values["dbname"].map { "/\(encoded($0))" } ?? ""
    let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let hosts = (values["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let places = hosts.enumerated().map { index, host in
      let port = ports.count == hosts.count ? ports[index] : ports.first ?? ""
      return encoded(String(host)) + (port.isEmpty ? "" : ":\(port)")
    }
    return "postgres://\(user)\(places.joined(separator: ","))\(database)"
  }

  /// The text as a part of a URL, which libpq decodes.
  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        byte.isDigit || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "-._~".utf8.contains(byte)
      guard !isPlain else { return String(UnicodeScalar(byte)) }
      return "%" + String(0x100 + Int(byte), radix: 16).dropFirst().uppercased()
    }.joined()
  }

  /// A message from libpq or the server on one line, without the password.
  func clean(_ message: String) -> String {
    var line = harmlessLine(message)
    if let password = password?.reveal(), !password.isEmpty {
      let parts = line.split(separator: password, omittingEmptySubsequences: false)
      line = parts.joined(separator: "[secret]")
    }
    return line
  }
}

/// The text on one line without control characters.
private func harmlessLine(_ text: String) -> String {
  let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
    scalar.properties.generalCategory == .control ? " " : scalar
  }
  let words = String(String.UnicodeScalarView(scalars)).split(separator: " ")
  return words.joined(separator: " ")
}

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

extension SystemLibrary {
  /// libpq, the PostgreSQL client library.
  public static var libpq: SystemLibrary {
    SystemLibrary("libpq", postgresVersion(PQlibVersion()))
  }
}

/// Formats a version number of libpq: 150013 is 15.13 (libpq, PQserverVersion).
func postgresVersion(_ number: Int32) -> String { "\(number / 10_000).\(number % 10_000)" }

/// The events while a journal is opened, which decide whether opening is retried.
final class PostgresOpening: Sendable {
  private struct State {
    var wasConnected = false
    var isLoading = false
    var wasLost = false
    var isAnnounced = false
  }

  private let state = Mutex(State())
  /// Tells the user what is waited for.
  private let notice: @Sendable (String) -> Void

  init(notice: @escaping @Sendable (String) -> Void = { _ in }) { self.notice = notice }

  /// Tells the user once what is waited for.
  func announce(_ words: String) {
    let isFirst = state.withLock { state in
      defer { state.isAnnounced = true }
      return !state.isAnnounced
    }
    if isFirst { notice(words) }
  }

  /// Whether the server was never reached, and does not respond at all.
  func isAwaited(_ address: PostgresAddress) -> Bool {
    state.withLock { !$0.wasConnected && $0.wasLost } && !PostgresConnection.isServed(address)
  }

  /// Whether the server was reachable and then lost, before any row of the plan was read.
  var mayTryAgain: Bool {
    state.withLock { $0.wasConnected && $0.wasLost && !$0.isLoading }
  }

  /// Records that the server accepted the connection.
  func connected() { state.withLock { $0.wasConnected = true } }

  func beginLoading() { state.withLock { $0.isLoading = true } }

  func failed(_ failure: PostgresFailure) {
    state.withLock { state in
      if case .lost = failure { state.wasLost = true } else { state.wasLost = false }
    }
  }
}
