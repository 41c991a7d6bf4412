public import System
public import HTTP

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
