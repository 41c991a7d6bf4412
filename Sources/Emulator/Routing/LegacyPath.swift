internal import System
internal import HTTP
internal import IdentityToolkit

/// Other paths of the API: version 3, which old SDKs still call, and `admin/v2` for the administrator's settings.
enum LegacyPath {
  private static let prefix = "/www.googleapis.com/identitytoolkit/v3/relyingparty/"
  private static let modern: [String: String] = {
    var table: [String: String] = [:]
    for endpoint in Endpoint.allCases {
      // Firebase's emulator has no old path for these two operations of Apple's platforms.
      guard endpoint != .verifyIosClient, endpoint != .signInWithGameCenter else { continue }
      if let verb = endpoint.legacyVerb {
        table[verb.asciiLowercased] = "/\(endpoint.service.host)/\(endpoint.path)"
      }
    }
    return table
  }()

  private static let admin = "/identitytoolkit.googleapis.com/admin/v2/"

  /// The current path of the same operation; any other path is returned unchanged.
  static func modern(_ path: String, takesAdmin: Bool) -> String {
    if takesAdmin, path.utf8.starts(with: admin.utf8) {
      return "/identitytoolkit.googleapis.com/v2/" + path.dropFirst(admin.count)
    }
    return verb(of: path).flatMap { modern[$0] } ?? path
  }

  /// The old name of the operation in lower case; Firebase's emulator ignores case and a final slash in these paths.
  private static func verb(of path: String) -> String? {
    // A shortcut: nearly every path begins with another host.
    guard let host = path.utf8.dropFirst().first, host | 0x20 == UInt8(ascii: "w") else {
      return nil
    }
    let path = path.asciiLowercased
    guard path.utf8.starts(with: prefix.utf8) else { return nil }
    let verb = path.dropFirst(prefix.utf8.count)
    return String(verb.utf8.last == UInt8(ascii: "/") ? verb.dropLast() : verb)
  }

  /// The current form of an old request that differs in more than its path; nil for all others.
  static func modern(_ request: HTTPRequest, _ rules: Rules) throws(Refusal) -> HTTPRequest? {
    guard request.method == "POST" else { return nil }
    switch verb(of: request.url.path) {
    case "signoutuser":
      throw .notImplemented("signOutUser is not implemented in the Auth Emulator.")
    case "downloadaccount": return try transfer(request, rules, isDownload: true)
    case "uploadaccount": return try transfer(request, rules, isDownload: false)
    default: return nil
    }
  }

  /// The maximum body size of the old import and export in Firebase's emulator, in bytes.
  private static let maximumBytes = 100 << 10

  private static func checkSize(of request: HTTPRequest, _ rules: Rules) throws(Refusal) {
    let count = request.body.count
    guard !rules[.protobufJSON], count > maximumBytes else { return }
    // With a `Content-Length` the body is refused unread, otherwise as soon as it is too long.
    let length = request.headers["Content-Length"].flatMap { Int64($0) }
    let isCompressed = request.headers["Content-Encoding"]?.isEmpty == false
    var body: JSONObject = ["message": "request entity too large"]
    if let length, !isCompressed {
      body["expected"] = .integer(length)
      body["length"] = .integer(length)
      body["limit"] = .integer(Int64(maximumBytes))
    } else {
      body["limit"] = .integer(Int64(maximumBytes))
      body["received"] = .integer(Int64(count))
    }
    body["type"] = "entity.too.large"
    throw Refusal(status: 413, plainBody: body)
  }

  /// Converts an import or export, whose project is in the body.
  private static func transfer(
    _ request: HTTPRequest, _ rules: Rules, isDownload: Bool
  ) throws(Refusal) -> HTTPRequest {
    var body = JSONObject()
    // In Firebase's emulator only JSON is read here; any other body counts as empty.
    if rules[.protobufJSON] || RequestBody.isJSON(request) {
      try checkSize(of: request, rules)
      body = CamelCase.keys(
        of: try RequestBody.json(of: request, rules: rules).object ?? JSONObject())
    }
    guard let project = body["targetProjectId"]?.string, !project.isEmpty else {
      throw Refusal(.insufficientPermission)
    }
    body["targetProjectId"] = nil
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
      changed.headers.remove("Content-Type")
    } else {
      changed.body = JSON.object(body).encodedBytes()
    }
    return changed
  }
}
