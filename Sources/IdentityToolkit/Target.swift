public import System
public import HTTP

/// The target project: its id, its key, and the location of its backend.
public struct Target: Sendable {
  /// The location of the backend.
  public enum Backend: Sendable, Hashable {
    /// An emulator at this URL, of which only the origin is used.
    case emulator(WebURL)
    /// Google's own hosts.
    case production
  }

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
