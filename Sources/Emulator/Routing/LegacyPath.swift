internal import Encoding
internal import HTTP
internal import IdentityToolkit

/// Other spellings of the API's paths: its third version, which old SDKs still call, and the
/// administrator's settings under a name of their own.
enum LegacyPath {
  private static let prefix = "/www.googleapis.com/identitytoolkit/v3/relyingparty/"
  private static let modern: [String: String] = {
    var table: [String: String] = [:]
    for endpoint in Endpoint.allCases {
      // Firebase's emulator has no old path for proofs of Apple's.
      guard endpoint != .verifyIosClient, endpoint != .signInWithGameCenter else { continue }
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

  /// Today's form of an old request whose meaning is not in its path alone; nil for all others.
  static func modern(_ request: HTTPRequest) throws(Refusal) -> HTTPRequest? {
    let path = request.url.path
    guard path.utf8.starts(with: prefix.utf8) else { return nil }
    switch path.dropFirst(prefix.count) {
    case "signOutUser":
      throw .notImplemented("signOutUser is not implemented in the Auth Emulator.")
    case "downloadAccount" where request.method == "POST":
      return try transfer(request, isDownload: true)
    case "uploadAccount" where request.method == "POST":
      return try transfer(request, isDownload: false)
    default: return nil
    }
  }

  /// An import or export, whose project is in the body.
  private static func transfer(
    _ request: HTTPRequest, isDownload: Bool
  ) throws(Refusal) -> HTTPRequest {
    var body = try RequestBody.json(of: request).object ?? JSONObject()
    let keys = ["targetProjectId", "target_project_id"]
    guard let project = keys.lazy.compactMap({ body[$0]?.string }).first, !project.isEmpty else {
      throw Refusal(.insufficientPermission)
    }
    for key in keys { body[key] = nil }
    var query = request.url.fields
    if isDownload {
      for (name, value) in body.entries { query.append(name, value.string ?? value.encoded()) }
    }
    let name = isDownload ? "batchGet" : "batchCreate"
    let address =
      "\(request.url.origin)/identitytoolkit.googleapis.com/v1/projects/"
      + "\(PercentEncoding.encode(project))/accounts:\(name)"
    guard let url = WebURL(address) else { throw .notFound }
    var changed = request
    changed.url = url.with(query: query.isEmpty ? nil : query.encoded)
    if isDownload {
      changed.method = "GET"
      changed.body = []
    } else {
      changed.body = JSON.object(body).encodedBytes()
    }
    return changed
  }
}
