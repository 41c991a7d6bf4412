import CPQ
import System
import Glibc

/// The address and credentials of a PostgreSQL database; only `shown` may be displayed.
struct PostgresAddress: Sendable {
  /// The URL without `#NAME`.
  let url: Secret
  let schema: String
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
    schema = "luath_\(name)"
    protection = PostgresProtection(values) { name in
      getenv(name).flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
    }
    password = values["password"].map { Secret($0) }
    let host = values["host"] ?? "the local socket"
    let port = values["port"].map { ":\($0)" } ?? ""
    let database = values["dbname"].map { "/\($0)" } ?? ""
    shown = harmlessLine(host + port + database)
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
