import CPQ
import Glibc
import HTTP

/// How the connection to a PostgreSQL server is protected, where the user does not say.
///
/// A server elsewhere must prove by its certificate who it is (`sslmode=verify-full`), unless the address or
/// the environment has another `sslmode`. Modes that go on without TLS when a server refuses it never hand
/// that server a password in clear text.
struct PostgresProtection: Sendable {
  /// Settings of libpq that the address may change.
  let defaults: [(name: String, value: String)]
  /// What is tried, one after the other: settings that hold whatever the address says.
  let attempts: [[(name: String, value: String)]]

  /// What to do where a server elsewhere has no TLS, or a certificate that cannot be verified; as the end of a hint.
  var advice: String {
    defaults.contains { $0.name == "sslmode" }
      ? ". A server elsewhere must have a certificate for its name: sslrootcert=FILE in the URL names the "
        + "authority, and sslmode=… another way to protect the connection"
      : ""
  }

  /// The first version of libpq that can refuse to send a password (`require_auth`).
  private static let refusesPasswords: Int32 = 160_000

  /// Decides by the settings of the address, the environment and the version of libpq.
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
    // Otherwise libpq takes ~/.postgresql/root.crt alone, and refuses every server where there is none.
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

  /// Whether the server is on this machine: by its name where it has one, else by its address.
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

  /// Whether the user has certificates of authorities for PostgreSQL.
  static var hasOwnRoots: Bool {
    guard let home = getenv("HOME") else { return false }
    return access("\(String(cString: home))/.postgresql/root.crt", R_OK) == 0
  }
}
