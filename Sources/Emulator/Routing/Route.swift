internal import System

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
      let words = row.split(separator: " ").map(String.init)
      let path = words[1]
      let isBeyond = words[3].utf8.first == UInt8(ascii: "+")
      let segments = path.split(separator: "/")
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
    for row in RouteTable.identityToolkit.split(separator: "\n") {
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
