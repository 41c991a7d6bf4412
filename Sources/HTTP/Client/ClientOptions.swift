import Glibc

/// The options that apply to all requests of a client.
public struct ClientOptions: Sendable {
  /// The User-Agent header of requests without one.
  var userAgent: String

  /// The time limit for DNS lookup, connection and TLS handshake together.
  var connectTimeout: Duration

  /// The maximum size of a response's headers, in bytes.
  var maximumHeaderBytes: Int

  /// A file of trusted certificates to use instead of the system's; nil keeps the system's.
  public var certificateFile: String?

  /// A directory of trusted certificates (in c_rehash format) to use instead of the system's.
  var certificateDirectory: String?

  /// Connects to HOST:PORT instead of the host's own address, by host name.
  ///
  /// The certificate is checked for the original host, and the Host header names it. No proxy is used.
  public var places: [String: String] = [:]

  /// Hosts to which requests without TLS are refused.
  public var secureHosts: Set<String> = []

  /// Creates options with the certificates of CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR.
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

/// Returns an environment variable; nil when it is unset or empty.
private func environment(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}
