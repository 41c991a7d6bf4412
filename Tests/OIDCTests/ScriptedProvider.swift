@testable import System
@testable import HTTP
@testable import OIDC
import Synchronization
import Testing

/// A provider made up for one test, without a network: answers by path, and never waits.
final class ScriptedProvider: Transport, Sendable {
  typealias Answer = @Sendable (HTTPRequest) throws(HTTPError) -> HTTPResponse

  static let issuer = "https://issuer.example"
  static let clientID = "luath-client"
  static let now: Int64 = 1_800_000_000

  private struct State {
    var answers: [String: [Answer]] = [:]
    var requests: [HTTPRequest] = []
    var pauses: [Duration] = []
  }

  private let state = Mutex(State())

  init() throws {
    let key = try Vectors.key
    answer("/.well-known/openid-configuration", json: Self.description)
    answer("/keys", json: ["keys": [.object(key.publicJWK)]])
  }

  static let description: JSON = [
    "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
    "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
    "userinfo_endpoint": .string(issuer + "/userinfo"),
    "revocation_endpoint": .string(issuer + "/revoke"),
    "end_session_endpoint": .string(issuer + "/logout"),
    "device_authorization_endpoint": .string(issuer + "/device"),
    "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
    "id_token_signing_alg_values_supported": ["none", "RS256"],
    "response_types_supported": ["code", "id_token", "code id_token"],
    "authorization_response_iss_parameter_supported": true,
  ]

  /// Sets the answers of one path: one after the other, the last for ever.
  func answer(_ path: String, _ answers: [Answer]) {
    state.withLock { $0.answers[path] = answers }
  }

  func answer(_ path: String, status: Int = 200, json: JSON) {
    answer(path, [Self.json(json, status: status)])
  }

  static func json(_ json: JSON, status: Int = 200) -> Answer {
    { request in
      HTTPResponse(
        status: status, headers: ["Content-Type": "application/json"], body: json.encodedBytes(),
        url: request.url)
    }
  }

  static func fail(_ code: HTTPError.Code) -> Answer {
    { (_) throws(HTTPError) in throw HTTPError(code, "nothing there", hint: "look") }
  }

  /// Changes one member of the provider's description.
  func describe(_ name: String, _ value: JSON?) {
    var object = Self.description.object ?? [:]
    object[name] = value
    answer("/.well-known/openid-configuration", json: .object(object))
  }

  func requests(to path: String) -> [HTTPRequest] {
    state.withLock { $0.requests.filter { $0.url.path == path } }
  }

  var pauses: [Duration] { state.withLock { $0.pauses } }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let answer: Answer? = state.withLock { state in
      state.requests.append(request)
      guard let answers = state.answers[request.url.path], let first = answers.first else {
        return nil
      }
      if answers.count > 1 { state.answers[request.url.path]?.removeFirst() }
      return first
    }
    guard request.url.origin == Self.issuer, let answer else {
      return HTTPResponse(status: 404, url: request.url)
    }
    return try answer(request)
  }

  func pause(for duration: Duration) async throws(HTTPError) {
    state.withLock { $0.pauses.append(duration) }
    if Task.isCancelled { throw HTTPError(.cancelled, "cancelled", hint: "") }
  }

  /// A client of this provider.
  func client(
    _ change: (inout OIDCClientSettings) -> Void = { _ in }
  ) async throws(OIDCError) -> OIDCClient {
    var settings = OIDCClientSettings(
      issuer: Self.issuer, clientID: Self.clientID,
      redirectURI: "http://127.0.0.1:8910/callback")
    change(&settings)
    return try await OIDCClient.discover(settings, over: self, now: { Self.now })
  }

  /// The claims of a token that is in order.
  static var claims: JSONObject {
    [
      "iss": .string(issuer), "aud": .string(clientID), "sub": "barbara",
      "iat": .integer(now), "exp": .integer(now + 3600),
    ]
  }

  /// An ID token of Barbara's with some claims changed; nil removes one.
  static func idToken(
    _ changes: [String: JSON?] = [:], key: SigningKey? = nil
  ) throws -> String {
    var claims = claims
    for (name, value) in changes { claims[name] = value }
    return try (key ?? Vectors.key).sign(claims)
  }
}

extension OIDCFlow {
  /// The nonce that was sent to the provider, in a flow that has one.
  var sentNonce: String { nonce?.reveal() ?? "" }
}
