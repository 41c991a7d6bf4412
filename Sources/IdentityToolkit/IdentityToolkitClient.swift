public import HTTP
public import System

/// Calls the endpoints of one project over a transport.
///
/// It has the isolation of its transport and is not shared between threads.
public final class IdentityToolkitClient {
  /// The target project.
  public let target: Target

  /// The language of e-mails and SMS that the backend sends, such as `fr`; nil for the project's own.
  public var languageCode: String?

  private let transport: any Transport
  private let connection: BackendConnection
  private var urls: [Endpoint: WebURL] = [:]

  /// Creates a client for a target.
  public init(target: Target, transport: any Transport) {
    self.target = target
    self.transport = transport
    connection = BackendConnection(transport: transport)
  }

  /// Calls an endpoint with a JSON body, or with query parameters, and returns the response's body.
  ///
  /// A response with status 200 is returned even when its members report a failure.
  public func call(
    _ endpoint: Endpoint, _ body: JSONObject = [:], query: [(String, String)] = []
  ) async throws(BackendError) -> JSONObject {
    var request = request(for: endpoint)
    if !query.isEmpty { request.url = target.url(for: endpoint, query: query) }
    if endpoint.method == "POST" {
      request.headers.set("Content-Type", "application/json")
      request.body = JSON.object(body).encodedBytes()
    }
    return try await connection.send(
      request, isRepeatable: endpoint.isRepeatable(body), redaction: Redaction(body: body, and: key)
    )
  }

  /// Exchanges a refresh token for new tokens.
  public func refresh(token: Secret) async throws(BackendError) -> RefreshedSession {
    let form = FormFields([("grant_type", "refresh_token"), ("refresh_token", token.reveal())])
    var request = request(for: .token)
    request.headers.set("Content-Type", "application/x-www-form-urlencoded")
    request.body = Array(form.encoded.utf8)
    let answer = try await connection.send(
      request, isRepeatable: Endpoint.token.isRepeatable([:]),
      redaction: Redaction(secrets: [token.reveal()] + key))
    // This endpoint's access token is the ID token; `id_token` repeats it.
    guard let idToken = answer["access_token"]?.string ?? answer["id_token"]?.string,
      !idToken.isEmpty
    else { throw .unexpected(status: 200, message: "the token endpoint sent no access token") }
    return RefreshedSession(
      idToken: Secret(idToken), refreshToken: answer["refresh_token"]?.string.map(Secret.init),
      expiresIn: answer["expires_in"]?.wholeNumber, userID: answer["user_id"]?.string)
  }

  /// Detects which emulator the target is; nil for a real project or an unknown program.
  public func emulatorKind() async -> EmulatorKind? {
    guard case .emulator(let url) = target.backend else { return nil }
    return try? await EmulatorKind.detect(at: url, over: transport)
  }

  /// The API key of a real project, which Google quotes when it is suspended; not secret for an emulator.
  private var key: [String] { target.isEmulated ? [] : [target.apiKey.reveal()] }

  private func request(for endpoint: Endpoint) -> HTTPRequest {
    let url = urls[endpoint] ?? target.url(for: endpoint)
    urls[endpoint] = url
    var request = HTTPRequest(method: endpoint.method, url: url, headers: target.headers)
    if let languageCode { request.headers.set("X-Firebase-Locale", languageCode) }
    return request
  }
}

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

/// Sends the requests of clients and administrators to a backend, with retries, and parses refusals.
public struct BackendConnection {
  private let transport: any Transport

  /// Creates a connection over a transport.
  public init(transport: any Transport) { self.transport = transport }

  /// Sends a request and returns its response's body, which is a JSON object.
  ///
  /// The redaction removes the request's secrets from refusals. A repeatable request, which
  /// includes every GET, is sent again when its response was lost or the backend is busy.
  public func send(
    _ request: HTTPRequest, isRepeatable: Bool = false,
    redaction: @autoclosure () -> Redaction
  ) async throws(BackendError) -> JSONObject {
    var retries = RetryPolicy(isRepeatable: isRepeatable || request.method == "GET")
    let began = ContinuousClock.now
    while true {
      let outcome: Result<HTTPResponse, HTTPError>
      let failure: RetryPolicy.Failure?
      do throws(HTTPError) {
        let response = try await transport.send(request)
        outcome = .success(response)
        failure = RetryPolicy.Failure(response)
      } catch {
        outcome = .failure(error)
        failure = RetryPolicy.Failure(error)
      }
      guard let failure,
        case .wait(let pause) = retries.next(
          after: failure, elapsed: began.duration(to: .now), chance: .random(in: 0..<1))
      else { return try read(outcome, redaction()) }
      do throws(HTTPError) { try await transport.pause(for: pause) } catch {
        throw .transport(error)
      }
    }
  }

  private func read(
    _ outcome: Result<HTTPResponse, HTTPError>, _ redaction: @autoclosure () -> Redaction
  ) throws(BackendError) -> JSONObject {
    let response: HTTPResponse
    do throws(HTTPError) { response = try outcome.get() } catch { throw .transport(error) }
    let body: JSON
    do throws(JSONError) { body = try response.json() } catch {
      throw response.unexpected(response.strangeness(error))
    }
    if (200..<300).contains(response.status) {
      if let object = body.object { return object }
      throw response.unexpected(response.strangeness(nil))
    }
    guard var refusal = Refusal(status: response.status, body: body) else {
      throw response.unexpected(response.lackOfError)
    }
    refusal.askedWait = response.askedWait
    refusal.retryAfter = response.headers.retryAfter()
    throw .refused(refusal.cleaned(by: redaction()))
  }
}

extension Refusal {
  /// Returns a copy without the request's secrets.
  ///
  /// The response of a blocking function is JSON inside `detail`: it replaces the details, and its
  /// message replaces `detail`.
  func cleaned(by redaction: Redaction) -> Refusal {
    let function = functionError.map(redaction.clean)
    let words = (function?["error"]?["message"] ?? function?["message"])?.string
    var copy = Refusal(
      error: error, rawName: redaction.clean(rawName),
      detail: words ?? detail.map(redaction.clean), status: status,
      reasons: reasons.map(redaction.clean),
      canonicalStatus: canonicalStatus.map(redaction.clean),
      details: function.map { [$0] } ?? details.map(redaction.clean), hasName: hasName,
      askedWait: askedWait)
    copy.retryAfter = retryAfter
    return copy
  }
}

extension HTTPResponse {
  /// The error for a response that is not from this API.
  fileprivate func unexpected(_ message: String) -> BackendError {
    .unexpected(status: status, message: message, retryAfter: headers.retryAfter())
  }
}
