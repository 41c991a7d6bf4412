@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC

/// A backend that issues tokens and publishes keys, and does with them what a test wants.
final class Signer: Transport {
  static let project = "demo-signer"
  static let now: Int64 = 1_800_000_000
  static let certificates =
    "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
  static let cookieCertificates = "/identitytoolkit/v3/relyingparty/publicKeys"

  private static let keys = Result {
    try ["first", "second", "cookies", "stranger"].map { try SigningKey.generate(keyID: $0) }
  }

  private let keys: [SigningKey]
  let clock = SteppingClock()
  /// Which ID token keys are shown.
  var shown = ["first"]
  /// How long the keys may be kept.
  var cacheControl = "public, max-age=600, must-revalidate"
  /// What answers in the place of the keys.
  var answer: Result<HTTPResponse, HTTPError>?
  /// The accounts that a lookup finds, by uid.
  var accounts: [String: JSONObject] = [:]
  /// What was asked for.
  private(set) var sent: [HTTPRequest] = []
  /// The same as host and path.
  var requests: [String] { sent.map { $0.url.host + $0.url.path } }
  /// Called in the middle of each request.
  var pause: () async -> Void = {}

  init() throws { keys = try Self.keys.get() }

  func key(_ name: String) -> SigningKey {
    guard let key = keys.first(where: { $0.keyID == name }) else { preconditionFailure(name) }
    return key
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    sent.append(request)
    await pause()
    let path = request.url.path
    if path.hasSuffix(Self.certificates) || path.hasSuffix(Self.cookieCertificates) {
      if let answer { return try answer.get() }
      let names = path.hasSuffix(Self.certificates) ? shown : ["cookies"]
      let keys = names.map { name in
        (name, JSON.string((try? key(name).certificatePEM(commonName: "signer.example")) ?? ""))
      }
      return HTTPResponse(
        status: 200, headers: ["Cache-Control": cacheControl],
        body: JSON.object(JSONObject(keys)).encodedBytes(), url: request.url)
    }
    if path.hasSuffix("/token") {
      return HTTPResponse(
        status: 200, body: Array(#"{"access_token":"a","expires_in":3600}"#.utf8), url: request.url)
    }
    // As another emulator than luath's answers.
    if path.hasPrefix("/emulator/") { return HTTPResponse(status: 404, url: request.url) }
    let body = try? JSON.parse(request.body)
    let uid = body?["localId"]?.array?.first?.string ?? ""
    let users = accounts[uid].map { [JSON.object($0)] } ?? []
    return HTTPResponse(
      status: 200, body: JSON.object(["users": .array(users)]).encodedBytes(), url: request.url)
  }

  /// An administrator of a real project, or of an emulated one.
  func admin(
    emulated: Bool = false, hasKey: Bool = true, tenantID: String? = nil
  ) throws -> Admin {
    let account = try ServiceAccount(json: [
      "client_email": "a@signer.example",
      "private_key": .string(key("stranger").privatePEM.reveal()),
    ])
    let emulator = WebURL("http://127.0.0.1:9099")
    let backend = emulated ? emulator.map { Target.Backend.emulator($0) } : nil
    return try Admin(
      target: Target(
        projectID: Self.project, apiKey: Secret("k"), backend: backend ?? .production),
      serviceAccount: hasKey ? account : nil, tenantID: tenantID, transport: self, clock: clock)
  }

  /// An ID token; null takes a claim away.
  func idToken(_ changes: JSONObject = [:], by name: String = "first") throws -> Secret {
    Secret(try key(name).sign(claims("https://securetoken.google.com/", changes)))
  }

  /// A session cookie.
  func cookie(_ changes: JSONObject = [:], by name: String = "cookies") throws -> Secret {
    Secret(try key(name).sign(claims("https://session.firebase.google.com/", changes)))
  }

  /// A token with any header, and as signature whatever is given.
  func token(header: JSONObject, _ changes: JSONObject = [:], signature: [UInt8] = []) -> Secret {
    let claims = claims("https://securetoken.google.com/", changes)
    return Secret(
      [JSON.object(header).encodedBytes(), JSON.object(claims).encodedBytes(), signature]
        .map { Base64URL.encode($0) }.joined(separator: "."))
  }

  private func claims(_ issuer: String, _ changes: JSONObject) -> JSONObject {
    var claims: JSONObject = [
      "iss": .string(issuer + Self.project), "aud": .string(Self.project), "sub": "ada",
      "user_id": "ada", "auth_time": .integer(Self.now - 100), "iat": .integer(Self.now - 50),
      "exp": .integer(Self.now + 3550), "plan": "gold",
      "firebase": ["identities": [:], "sign_in_provider": "password"],
    ]
    for (name, value) in changes.entries { claims[name] = value.isNull ? nil : value }
    return claims
  }
}

/// A clock that moves when a test says so.
final class SteppingClock: AuthClock {
  var now = Signer.now
}
