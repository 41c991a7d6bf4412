internal import CPQ
internal import Glibc
internal import HTTP

/// The TLS settings for a PostgreSQL connection, where the user does not set them.
///
/// A remote server must prove its identity with a certificate (`sslmode=verify-full`), unless the address or the
/// environment sets another `sslmode`. With modes that fall back to a connection without TLS, a password is never
/// sent in clear text over it.
struct PostgresProtection: Sendable {
  /// Default libpq settings, which the address may override.
  let defaults: [(name: String, value: String)]
  /// The connection attempts to make in order, each with settings that override the address.
  let attempts: [[(name: String, value: String)]]

  /// A suffix for hints about a remote server without TLS or without a valid certificate; empty if it does not apply.
  var advice: String {
    defaults.contains { $0.name == "sslmode" }
      ? ". A server elsewhere must have a certificate for its name: sslrootcert=FILE in the URL names the "
        + "authority, and sslmode=… another way to protect the connection"
      : ""
  }

  /// The first version of libpq that supports `require_auth`.
  private static let refusesPasswords: Int32 = 160_000

  /// Determines the settings from the address, the environment and the version of libpq.
  init(
    _ values: [String: String], _ environment: (String) -> String?,
    version: Int32 = PQlibVersion(), hasOwnRoots: Bool = Self.hasOwnRoots,
    systemRoots: String? = CertificateStore.current.file
  ) {
    guard !Self.isLocal(values, environment) else {
      (defaults, attempts) = ([], [[]])
      return
    }
    var defaults: [(name: String, value: String)] = []
    let mode = values["sslmode"] ?? environment("PGSSLMODE")
    if mode == nil { defaults.append(("sslmode", "verify-full")) }
    // By default, libpq uses only ~/.postgresql/root.crt, and rejects every server if that file does not exist.
    if environment("PGSSLROOTCERT") == nil, !hasOwnRoots, let systemRoots {
      defaults.append(("sslrootcert", systemRoots))
    }
    self.defaults = defaults
    guard mode == "prefer" || mode == "allow" else {
      attempts = [[]]
      return
    }
    let canRefuse = version >= Self.refusesPasswords
    attempts =
      [[("sslmode", "require")]]
      + (canRefuse ? [[("sslmode", "disable"), ("require_auth", "!password")]] : [])
  }

  /// Whether the server is on this machine, by its name if given, or else by its address.
  private static func isLocal(
    _ values: [String: String], _ environment: (String) -> String?
  ) -> Bool {
    let names =
      values["host"] ?? values["hostaddr"] ?? environment("PGHOST") ?? environment("PGHOSTADDR")
      ?? ""
    return names.split(separator: ",").allSatisfy { name in
      if name.hasPrefix("/") || name.hasPrefix("@") { return true }
      let host = name.contains(":") ? "[\(name)]" : String(name)
      return WebURL("http://\(host)")?.isLoopback ?? false
    }
  }

  /// Whether the user has a file of root certificates for PostgreSQL.
  static var hasOwnRoots: Bool {
    guard let home = getenv("HOME") else { return false }
    return access("\(String(cString: home))/.postgresql/root.crt", R_OK) == 0
  }
}
