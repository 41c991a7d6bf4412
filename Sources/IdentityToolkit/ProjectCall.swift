public import HTTP
import System

/// A request to the backend of a Firebase project, with what a guard against changes needs to know.
///
/// Whatever is not known to be read-only counts as a change, such as a new operation of Google's or
/// a path in another spelling.
public struct ProjectCall: Sendable, Equatable {
  /// The operation, as in the URL: `accounts:signUp`.
  public let name: String

  /// The project in the URL; nil when only the API key or a token identifies it.
  public let projectID: String?

  /// Whether the call may change the project.
  public let changes: Bool

  /// Parses a request to Google's hosts; nil for all other hosts.
  public init?(_ request: HTTPRequest) {
    let host = request.url.hostWithoutRoot
    guard host.hasSuffix(Self.googleHosts) else { return nil }
    let path = Self.segments(request.url.path)
    guard Self.isBackend(host, path) else { return nil }
    self.init(request, path)
  }

  /// Parses a request to a server that may be an emulator, by its path; nil when it concerns no project.
  ///
  /// - Parameter isEmulator: Whether the server is known to be one. Then each of its own paths
  ///   counts; otherwise only paths that no other server has.
  public init?(toEmulator request: HTTPRequest, isEmulator: Bool) {
    let path = Self.segments(request.url.path)
    let first = path.first ?? ""
    if first == "emulator" {
      // A GET of the page behind an e-mail's link performs the link's action.
      let isLink = path.count > 1 && path[1] == "action"
      self.init(request, path, changes: isLink || !Self.isReadingMethod(request))
    } else if Self.isBackend(first, Array(path.dropFirst())) {
      self.init(request, Array(path.dropFirst()))
    } else if isEmulator, !first.contains("."), first != "oidc" {
      self.init(request, path, changes: !Self.isReadingMethod(request))
    } else {
      // An identity provider of the emulator, or another server.
      return nil
    }
  }

  private init(_ request: HTTPRequest, _ path: [String]) {
    let reads = Self.isReadingMethod(request) || Self.onlyReads(request, path)
    self.init(request, path, changes: !reads)
  }

  private init(_ request: HTTPRequest, _ path: [String], changes: Bool) {
    let operation = path.last ?? "/"
    name = changes || operation.contains(":") ? operation : "\(request.method) \(operation)"
    let place = path.firstIndex(of: "projects").map { $0 + 1 }
    // The segment may also be `ID:createSessionCookie`.
    projectID =
      place.flatMap { $0 < path.count ? String(path[$0].prefix { $0 != ":" }) : nil }
      ?? (changes ? Self.project(in: request) : nil)
    self.changes = changes
  }

  private static let googleHosts = ".googleapis.com"

  /// The decoded segments.
  private static func segments(_ path: String) -> [String] {
    path.split(separator: "/").map { PercentEncoding.decode(String($0)) ?? String($0) }
  }

  /// Whether a Google host serves Firebase Auth at this path.
  private static func isBackend(_ host: String, _ path: [String]) -> Bool {
    guard host.hasSuffix(googleHosts) else { return false }
    if Endpoint.Service.allCases.contains(where: { host.contains($0.label) }) { return true }
    // The older APIs, and the one for batches of calls.
    return path.contains { $0 == "batch" || $0.contains(Endpoint.Service.identityToolkit.label) }
  }

  /// Returns the project in the body of an administrator's call.
  private static func project(in request: HTTPRequest) -> String? {
    guard let body = try? request.json() else { return nil }
    return (body["targetProjectId"] ?? body["target_project_id"])?.string
  }

  private static func isReadingMethod(_ request: HTTPRequest) -> Bool {
    // Google's servers let this header override the method.
    ["GET", "HEAD", "OPTIONS"].contains(request.method)
      && request.headers["X-HTTP-Method-Override"] == nil
  }

  /// Whether a request other than GET is read-only.
  private static func onlyReads(_ request: HTTPRequest, _ path: [String]) -> Bool {
    guard request.method == "POST", request.headers["X-HTTP-Method-Override"] == nil,
      let name = path.last, !path.contains("batch")
    else { return false }
    if readingAdminCalls.contains(name) { return true }
    guard let endpoint = Endpoint(lastSegment: name), endpoint.method == "POST" else {
      return false
    }
    switch endpoint.effect {
    case .reads: return true
    case .changes: return false
    case .readsWithout(let fields):
      guard let body = (try? request.json())?.object else { return false }
      let names = body.entries.map(\.key) + request.url.fields.pairs.map(\.name)
      return fields.isDisjoint(with: names)
    }
  }

  /// Administrators' calls that are not GET and still read-only.
  private static let readingAdminCalls: Set<String> = ["accounts:query", "downloadAccount"]
}

extension Endpoint.Service {
  /// The host's first label, which regional hosts contain as well.
  fileprivate var label: String { host.split(separator: ".").first.map(String.init) ?? host }
}
