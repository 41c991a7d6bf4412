internal import IdentityToolkit

/// The paths of the third version of the API, which old SDKs still call.
enum LegacyPath {
  private static let prefix = "/www.googleapis.com/identitytoolkit/v3/relyingparty/"
  private static let modern: [String: String] = {
    var table: [String: String] = [:]
    for endpoint in Endpoint.allCases {
      if let verb = endpoint.legacyVerb {
        table[verb] = "/\(endpoint.service.host)/\(endpoint.path)"
      }
    }
    return table
  }()

  /// Today's path of the same operation; any other path as it is.
  static func modern(_ path: String) -> String {
    guard path.utf8.starts(with: prefix.utf8) else { return path }
    return modern[String(path.dropFirst(prefix.count))] ?? path
  }
}
