internal import CPQ
internal import Glibc
package import System

/// The address and credentials of a PostgreSQL database; only `shown` may be displayed.
package struct PostgresAddress: Sendable {
  /// The URL without `#NAME`.
  package let url: Secret
  /// The name of the journal, or of the run, in the database.
  package let name: String
  /// Whose queue it is.
  package let use: QueueUse
  /// The URL with user, host, port and database only, as far as they are given.
  package let withoutPassword: String
  let protection: PostgresProtection
  /// Host, port and database, for messages.
  package let shown: String
  /// The password in the URL, to remove it from messages.
  private let password: Secret?

  /// Parses `postgres://user:password@host:port/database`, with a `#name` for one of several in a database.
  package init(_ address: Secret, _ use: QueueUse) throws(QueueProblem) {
    let parts = address.reveal().split(
      separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let url = String(parts[0])
    guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
      throw QueueProblem(
        .usage, "the queue's address is no URL of a PostgreSQL database",
        hint: "write postgres://USER:PASSWORD@HOST:PORT/DATABASE")
    }
    guard let name = parts.count > 1 ? String(parts[1]) : use.usualName else {
      throw QueueProblem(
        .usage, "the queue's address has no name of a \(use.noun)",
        hint: "add one at its end, the same for all: postgres://…/DATABASE#friday")
    }
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789_".utf8
    guard (1...48).contains(name.utf8.count), name.utf8.allSatisfy(letters.contains) else {
      throw QueueProblem(
        .usage, "the name after '#' in the queue's address is no name of a \(use.noun)",
        hint: "use small letters, digits and underscores")
    }
    // Ignore libpq's message about a malformed URL: it quotes the URL with the password.
    guard let options = PQconninfoParse(url, nil) else {
      throw QueueProblem(
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
    self.use = use
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

  /// The schema of the tables.
  package var schema: String { "luath_\(name)" }

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
