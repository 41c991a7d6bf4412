internal import System
internal import HTTP
internal import IdentityToolkit

/// One request for an operation, after routing, authentication and the check of its types.
struct Call {
  let operation: APIOperation
  let fields: Fields
  let query: FormFields
  /// Whether the caller sent an administrator's bearer token.
  let isAdmin: Bool
  /// The ids in the path, as far as there are any: project, tenant, resource.
  let ids: [String]
  /// The collection of the last id, such as `oauthIdpConfigs`.
  let collection: String
  var caller = Caller()
  var errors = ErrorShape.emulator
}

/// The app that sends a request, as its headers describe it.
struct Caller: Sendable {
  var language: String?
  var userAgent: String?
}

/// One method of one path, with the operation it calls.
struct Route: Sendable {
  enum Service: Sendable {
    case identityToolkit, secureToken
  }

  let service: Service
  /// The operation; nil if the emulator only knows its name.
  let operation: APIOperation?
  /// Whether Firebase's emulator lacks the operation.
  let isBeyond: Bool
  /// Google's name of the operation, where a response needs it.
  let name: String
  /// The request message; nil if the operation has no body.
  let message: Schema.Message?
  /// The names that error messages use for the message and its fields.
  let naming: Transcoder.Naming
  /// The last path segment that is not an id, such as `oauthIdpConfigs`.
  let collection: String
  /// Whether an API key is the only credential it takes.
  let takesKeyOnly: Bool
  /// Whether the operation returns public keys and needs no credential, under rules that include it.
  let isPublic: Bool
  /// The query parameters that Google's API description names.
  let parameters: [QueryParameter]
}

/// A parsed path of the API.
struct RoutedPath: Sendable {
  let methods: [String: Route]
  /// The ids in the path, from left to right and decoded: project, tenant, resource.
  let ids: [String]
  let hasTenant: Bool
}

struct Router: Sendable {
  private let routes: [ExactString: [String: Route]]
  private static let toolkit = "/identitytoolkit.googleapis.com/"

  /// All emulators have the same routes.
  static let shared = Router()

  private init() {
    var routes: [ExactString: [String: Route]] = [:]
    func add(_ row: Substring, _ service: Route.Service, prefix: String) {
      let words = row.parts(at: " ").map(String.init)
      let path = words[1]
      let isBeyond = words[3].utf8.first == UInt8(ascii: "+")
      let segments = path[...].parts(at: "/")
      let route = Route(
        service: service, operation: APIOperation(rawValue: String(words[3].drop { $0 == "+" })),
        isBeyond: isBeyond, name: words.count > 4 ? words[4] : "",
        message: words[2] == "-" ? nil : Schema.shared.message(words[2]),
        naming: Transcoder.Naming(path: path, message: words[2]),
        collection: String(segments.last { $0 != "*" } ?? ""),
        takesKeyOnly: service == .secureToken || path.contains("passkey")
          || path.contains("sessionCookiePublicKeys"),
        isPublic: path.contains("sessionCookiePublicKeys"),
        parameters: QueryParameter.all(of: words[0], path))
      routes[ExactString(string: prefix + path), default: [:]][words[0]] = route
    }
    for row in RouteTable.identityToolkit[...].parts(at: "\n") {
      add(row, .identityToolkit, prefix: Self.toolkit)
    }
    add(RouteTable.secureToken[...], .secureToken, prefix: "/securetoken.googleapis.com/")
    self.routes = routes
  }

  /// The path's routes, or nil for a path the API does not have.
  func find(_ path: String) -> RoutedPath? {
    if let methods = routes[ExactString(string: path)] {
      // A path that is itself in the table has no id, unless a project is really called "*".
      guard !path.utf8.contains(UInt8(ascii: "*")) else { return nil }
      return RoutedPath(methods: methods, ids: [], hasTenant: false)
    }
    guard path.utf8.starts(with: Self.toolkit.utf8) else { return nil }
    return findWithIDs(path)
  }

  private func findWithIDs(_ path: String) -> RoutedPath? {
    var pattern = ""
    pattern.reserveCapacity(path.utf8.count)
    var ids: [String] = []
    var hasTenant = false
    var previous: Substring = ""
    for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      pattern += "/"
      switch previous {
      case "projects", "tenants", "oauthIdpConfigs", "inboundSamlConfigs",
        "defaultSupportedIdpConfigs":
        // Ids of old projects contain colons, so only the last colon begins a verb, and only in the last segment.
        let isLast = segment.endIndex == path.endIndex
        let verb = isLast ? segment.utf8.lastIndex(of: UInt8(ascii: ":")) : nil
        let id = segment[..<(verb ?? segment.endIndex)]
        // An empty tenant, which Firebase's tools send on import, means none; an empty project means the main one.
        guard !id.isEmpty || previous == "tenants" || previous == "projects" else { return nil }
        guard let decoded = PercentEncoding.decode(String(id)) else { return nil }
        ids.append(decoded)
        if previous == "tenants" { hasTenant = true }
        pattern += "*"
        pattern += segment[id.endIndex...]
      default: pattern += segment
      }
      previous = segment
    }
    return routes[ExactString(string: pattern)].map {
      RoutedPath(methods: $0, ids: ids, hasTenant: hasTenant)
    }
  }
}

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
