import CCurl
import Glibc

/// The trusted certificates of this process, used when a target names no file of its own.
public struct CertificateStore: Sendable {
  /// The file with the certificates, if any.
  public let file: String?
  /// The folder with the certificates, if any.
  public let folder: String?
  /// The environment variable that replaces the system's store, if one is set.
  public let variable: String?

  /// The store named by CURL_CA_BUNDLE, SSL_CERT_FILE or SSL_CERT_DIR, else libcurl's default.
  public static var current: CertificateStore {
    let options = ClientOptions()
    // `cainfo` and `capath` exist since 7.70 (curl_version_info(3)).
    let facts = curl_version_info(CURLVERSION_SEVENTH)
    let system = facts.flatMap { facts -> (file: String?, folder: String?)? in
      guard facts.pointee.age.rawValue >= CURLVERSION_SEVENTH.rawValue else { return nil }
      return (
        facts.pointee.cainfo.map { String(cString: $0) },
        facts.pointee.capath.map { String(cString: $0) }
      )
    }
    let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"]
    return CertificateStore(
      file: options.certificateFile ?? system?.file,
      folder: options.certificateDirectory ?? system?.folder,
      variable: variables.first { getenv($0).map { $0.pointee != 0 } ?? false })
  }
}
