internal import IdentityToolkit

/// Other spellings of the API's paths: its third version, which old SDKs still call, and the
/// administrator's settings under a name of their own.
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

  private static let admin = "/identitytoolkit.googleapis.com/admin/v2/"

  /// The usual path of the same operation; any other path as it is.
  static func modern(_ path: String, takesAdmin: Bool) -> String {
    if takesAdmin, path.utf8.starts(with: admin.utf8) {
      return "/identitytoolkit.googleapis.com/v2/" + path.dropFirst(admin.count)
    }
    guard path.utf8.starts(with: prefix.utf8) else { return path }
    return modern[String(path.dropFirst(prefix.count))] ?? path
  }
}
