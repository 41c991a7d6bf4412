public import Encoding
public import HTTP

/// The project a client talks to: its name, its key, and where its backend is.
public struct Target: Sendable {
  /// Where the backend is.
  public enum Backend: Sendable, Hashable {
    /// An emulator at this address, of which only the origin counts.
    case emulator(WebURL)
    /// Google's own hosts.
    case production
  }

  /// The project id.
  public let projectID: String

  /// The web API key, sent as the `key` parameter.
  public let apiKey: Secret

  /// Where the backend is.
  public let backend: Backend

  /// The host whose `/__/auth/handler` identity providers send the browser back to.
  public let authDomain: String

  /// Headers that identify the application to a restricted key, or carry an App Check token.
  public let headers: HTTPHeaders

  /// How Google's hosts are reached where that is not directly.
  public let detour: Detour

  /// Other addresses for hosts, and an authority of one's own: for a company's gateway or a test.
  public struct Detour: Sendable, Hashable {
    /// Where the connections to a host go: HOST:PORT by host name.
    public var places: [String: String]
    /// A file with the certificates of authorities to trust; nil for those of the system.
    public var certificateFile: String?

    /// Describes a detour; without arguments there is none.
    public init(places: [String: String] = [:], certificateFile: String? = nil) {
      self.places = places
      self.certificateFile = certificateFile
    }
  }

  /// Describes a project; an auth domain not given is the one every project has.
  public init(
    projectID: String, apiKey: Secret, backend: Backend, authDomain: String? = nil,
    headers: HTTPHeaders = [:], detour: Detour = Detour()
  ) {
    self.projectID = projectID
    self.apiKey = apiKey
    self.backend = backend
    self.authDomain = authDomain ?? "\(projectID).firebaseapp.com"
    self.headers = headers
    self.detour = detour
  }

  /// Whether the backend is an emulator.
  public var isEmulated: Bool {
    if case .emulator = backend { true } else { false }
  }

  /// The address of an endpoint, with the key and further query parameters.
  public func url(for endpoint: Endpoint, query: [(String, String)] = []) -> WebURL {
    let fields = FormFields([("key", apiKey.reveal())] + query)
    let text = "\(base(of: endpoint.service.host))/\(endpoint.path)"
    guard let url = WebURL(text) else {
      preconditionFailure("the address of \(endpoint) is built from constants and an origin")
    }
    return url.with(fields: fields)
  }

  /// The address an identity provider must send the browser back to.
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

  /// The address under which a production host's paths begin, without a slash at the end.
  ///
  /// An emulator serves every production host under the host's name as first path segment.
  public func base(of host: String) -> String {
    switch backend {
    case .emulator(let url): "\(url.origin)/\(host)"
    case .production: "https://\(host)"
    }
  }
}
