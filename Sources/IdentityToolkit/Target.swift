public import HTTP
public import System

/// The target project: its id, its key, and the location of its backend.
public struct Target: Sendable {
  /// The location of the backend.
  public enum Backend: Sendable, Hashable {
    /// An emulator at this URL, of which only the origin is used.
    case emulator(WebURL)
    /// Google's own hosts.
    case production
  }

  /// The API key for emulators of which none is known; they accept any key.
  public static let anyKey = Secret("emulated")

  /// The project id.
  public let projectID: String

  /// The web API key, sent as the `key` parameter.
  public let apiKey: Secret

  /// The location of the backend.
  public let backend: Backend

  /// The host of the `/__/auth/handler` to which identity providers redirect.
  let authDomain: String

  /// Headers that identify the application for a restricted key, or contain an App Check token.
  public let headers: HTTPHeaders

  /// How to reach Google's hosts when not directly.
  public let hostOverrides: HostOverrides

  /// Other addresses for hosts and a custom certificate authority, for a company's gateway or a test.
  public struct HostOverrides: Sendable, Hashable {
    /// Connects to HOST:PORT instead of the host's own address, by host name.
    public var places: [String: String]
    /// A file with trusted certificates; nil for those of the system.
    public var certificateFile: String?

    /// Creates overrides; empty by default.
    public init(places: [String: String] = [:], certificateFile: String? = nil) {
      self.places = places
      self.certificateFile = certificateFile
    }
  }

  /// Creates a target; the default auth domain is `PROJECT.firebaseapp.com`.
  public init(
    projectID: String, apiKey: Secret, backend: Backend, authDomain: String? = nil,
    headers: HTTPHeaders = [:], hostOverrides: HostOverrides = HostOverrides()
  ) {
    self.projectID = projectID
    self.apiKey = apiKey
    self.backend = backend
    self.authDomain = authDomain ?? "\(projectID).firebaseapp.com"
    self.headers = headers
    self.hostOverrides = hostOverrides
  }

  /// Whether the backend is an emulator.
  public var isEmulated: Bool {
    if case .emulator = backend { true } else { false }
  }

  /// Whether the backend is an emulator on this machine.
  public var isLoopbackEmulator: Bool {
    if case .emulator(let url) = backend { url.isLoopback } else { false }
  }

  /// Returns the URL of an endpoint, with the key and further query parameters.
  public func url(for endpoint: Endpoint, query: [(String, String)] = []) -> WebURL {
    let fields = FormFields([("key", apiKey.reveal())] + query)
    let text = "\(base(of: endpoint.service.host))/\(endpoint.path)"
    guard let url = WebURL(text) else {
      preconditionFailure("the address of \(endpoint) is built from constants and an origin")
    }
    return url.with(fields: fields)
  }

  /// Returns the address to which an identity provider must redirect.
  ///
  /// Nil when a custom domain is not a host name.
  public func redirectURL(customAuthDomain: String? = nil) -> WebURL? {
    let path = "/__/auth/handler"
    if let customAuthDomain {
      let url = WebURL("\(isEmulated ? "http" : "https")://\(customAuthDomain)\(path)")
      return url?.path == path && url?.query == nil ? url : nil
    }
    return switch backend {
    case .emulator(let url): WebURL(url.origin + path)
    case .production: WebURL("https://\(authDomain)\(path)")
    }
  }

  /// Returns the base URL of a production host, without a trailing slash.
  ///
  /// An emulator serves every production host under a first path segment with the host's name.
  public func base(of host: String) -> String {
    switch backend {
    case .emulator(let url): "\(url.origin)/\(host)"
    case .production: "https://\(host)"
    }
  }
}

/// The emulators of Firebase Auth.
public enum EmulatorKind: String, Sendable {
  /// luath's own, with any rules.
  case luath
  /// The emulator of Firebase's command line tools.
  case firebase

  /// Determines which emulator runs at a URL; nil when it is neither.
  ///
  /// The two have the same API. Only luath's has a clock that can be moved.
  public static func detect(
    at emulator: WebURL, over transport: any Transport, timeout: Duration = .seconds(30)
  ) async throws(HTTPError) -> EmulatorKind? {
    guard let url = WebURL(emulator.origin + "/emulator/v1/clock") else { return nil }
    let response = try await transport.send(
      HTTPRequest(url: url, headers: ["Authorization": "Bearer owner"], timeout: timeout))
    let answer = (try? response.json()) ?? .null
    if response.status == 200, answer["advancedSeconds"] != nil { return .luath }
    let isUnknownPath =
      response.status == 404 && answer["error"]?["status"]?.string == "NOT_FOUND"
    return isUnknownPath ? .firebase : nil
  }
}

/// A feature of luath's emulator that Firebase's emulator does not have.
public enum EmulatorFeature: CaseIterable, Sendable {
  case clock
  case faults
  case serviceAccount
  case testUsers
  case identityProviders
  case authenticatorApps
  case providerSettings
  case importedPasswords
  case messageTexts

  /// The name of the feature, to follow "has no".
  public var name: String {
    switch self {
    case .clock: "clock that can be moved"
    case .faults: "faults"
    case .serviceAccount: "service account"
    case .testUsers: "test users of identity providers"
    case .identityProviders: "identity providers with sign-in pages"
    case .authenticatorApps: "authenticator apps (TOTP)"
    case .providerSettings: "settings of providers and of Identity Platform"
    case .importedPasswords: "check of imported password hashes"
    case .messageTexts: "texts of e-mails and SMS"
    }
  }

  /// The error message for a script that needs the feature.
  public var absence: String { "Firebase's emulator has no \(name)" }

  /// The hint for luath's emulator with compatible rules; nil if the error has one of its own.
  public var rulesHint: String? {
    guard self == .identityProviders else { return nil }
    return "add --rules production to the command that starts the emulator, such as luath exec "
      + "--rules production -- COMMAND: compatible rules have no \(name)"
  }

  /// The hint for any of these features.
  public static let hint =
    "use luath's own emulator: run without --target, or start luath emulator --rules production "
    + "and run against that"
}
