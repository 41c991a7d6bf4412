internal import IdentityToolkit

/// What a path of the backend half stands for.
enum Route: Equatable {
  case operation(Endpoint)
  /// An administrator's operation on a named project.
  case administration(Endpoint, project: String)
  /// The keys of Firebase ID tokens as a JWK set.
  case tokenKeys
  /// The same keys as X.509 certificates.
  case tokenCertificates
  /// Where identity providers send the browser back to.
  case handlerPage
  /// The emulator's own controls, which no Google server has.
  case control(Control)
  case health

  enum Control: Equatable {
    case accounts
    case configuration
    case serviceAccount
    case clock
    case people
  }

  private static let operations: [String: Endpoint] = {
    var table: [String: Endpoint] = [:]
    for endpoint in Endpoint.allCases {
      table["\(endpoint.service.host)/\(endpoint.path)"] = endpoint
      if let verb = endpoint.legacyVerb { table["\(Endpoint.legacyPrefix)/\(verb)"] = endpoint }
    }
    return table
  }()

  private static let administered: [Endpoint] = [.lookup, .update, .delete]
  private static let signer = "securetoken@system.gserviceaccount.com"

  /// The route of a raw path, or nil; a control of another project than `project` is no route.
  init?(path: String, project: String) {
    let path = String(path.dropFirst())
    if let endpoint = Self.operations[path] {
      self = .operation(endpoint)
      return
    }
    switch path {
    case "": self = .health
    case "www.googleapis.com/service_accounts/v1/jwk/\(Self.signer)": self = .tokenKeys
    case "www.googleapis.com/robot/v1/metadata/x509/\(Self.signer)": self = .tokenCertificates
    case "__/auth/handler", "emulator/auth/handler": self = .handlerPage
    case "emulator/v1/clock": self = .control(.clock)
    case "emulator/v1/people": self = .control(.people)
    case "emulator/v1/projects/\(project)/accounts": self = .control(.accounts)
    case "emulator/v1/projects/\(project)/config": self = .control(.configuration)
    case "emulator/v1/projects/\(project)/serviceAccount": self = .control(.serviceAccount)
    default:
      guard let found = Self.administration(path) else { return nil }
      self = found
    }
  }

  private static func administration(_ path: String) -> Route? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "identitytoolkit.googleapis.com", parts[1] == "v1",
      parts[2] == "projects", !parts[3].isEmpty
    else { return nil }
    if parts[4] == "accounts" { return .administration(.signUp, project: String(parts[3])) }
    let endpoint = administered.first { parts[4] == "accounts:\($0.rawValue)" }
    return endpoint.map { .administration($0, project: String(parts[3])) }
  }

  /// The methods the route answers to.
  var methods: [String] {
    switch self {
    case .operation(let endpoint): [endpoint.method]
    case .administration: ["POST"]
    case .tokenKeys, .tokenCertificates, .handlerPage, .health, .control(.serviceAccount): ["GET"]
    case .control(.accounts): ["DELETE"]
    case .control(.configuration), .control(.clock): ["GET", "PATCH"]
    case .control(.people): ["GET", "POST"]
    }
  }
}
