import Glibc

/// What a client does alike for all its requests.
public struct ClientOptions: Sendable {
  /// The User-Agent header of requests that bring none.
  public var userAgent: String

  /// How long the name look-up, the connection and the TLS handshake may take together.
  public var connectTimeout: Duration

  /// The largest header section of an answer, in bytes.
  public var maximumHeaderBytes: Int

  /// A file of trusted certificates instead of the system's; nil keeps those.
  public var certificateFile: String?

  /// A directory of trusted certificates (as c_rehash makes it) instead of the system's.
  public var certificateDirectory: String?

  /// Where the connections to a host go instead of its own address: HOST:PORT by host name.
  ///
  /// The host stays the one of the certificate and of the Host header, and no proxy is used for it.
  public var places: [String: String] = [:]

  /// Hosts that are never spoken to without TLS.
  public var secureHosts: Set<String> = []

  /// Creates options; certificates come from CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR.
  public init(
    userAgent: String = "luath/0.1", connectTimeout: Duration = .seconds(10),
    maximumHeaderBytes: Int = 64 << 10
  ) {
    self.userAgent = userAgent
    self.connectTimeout = connectTimeout
    self.maximumHeaderBytes = maximumHeaderBytes
    certificateFile = environment("CURL_CA_BUNDLE") ?? environment("SSL_CERT_FILE")
    certificateDirectory = environment("SSL_CERT_DIR")
  }
}

/// The value of an environment variable, nil when it is unset or empty.
private func environment(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}
