@testable import System
@testable import HTTP
@testable import OIDC

/// An OpenID provider of somebody else: discovery, keys, token and userinfo, without pages.
///
/// A test plays the person: it makes the code the browser would have come back with.
actor ForeignIssuer {
  nonisolated let loop: EventLoop
  nonisolated let clientID = "client-1"
  nonisolated let clientSecret = Secret("secret & 1")
  private var key: SigningKey
  private static let sharedKey = Result { try SigningKey.generate() }
  private static let laterKey = Result { try SigningKey.generate() }
  private var server: HTTPServer?
  private var origin = ""
  /// The issuer's name.
  var name: String { origin }
  private var grants: [String: Grant] = [:]
  private var profiles: [String: JSONObject] = [:]
  private var answers: [String: @Sendable (HTTPRequest) -> Answer] = [:]
  private var changes: JSONObject = [:]
  private var counts: [String: Int] = [:]

  struct Grant {
    let claims: JSONObject
    let profile: JSONObject?
    let challenge: String
    let redirectURI: String
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init() throws {
    loop = try EventLoop(name: "issuer")
    try loop.start()
    key = try Self.sharedKey.get()
  }

  /// Listens and returns the issuer's name.
  func start() throws -> String {
    let server = try HTTPServer(loop: loop) { [weak self] request in
      guard let self else { return .now(ServerResponse(status: 503)) }
      return self.assumeIsolated { $0.respond(to: request) }
    }
    self.server = server
    origin = "http://127.0.0.1:\(server.port)"
    return origin
  }

  nonisolated func stop() async {
    await close()
    loop.stop()
    loop.join()
  }

  private func close() {
    server?.stop()
    server = nil
  }

  /// Answers one path in another way from now on.
  func answer(_ path: String, _ make: @escaping @Sendable (HTTPRequest) -> Answer) {
    answers[path] = make
  }

  /// Changes the discovery document; null takes a member out.
  func describe(_ changes: JSONObject) { self.changes = changes }

  /// Signs with another key from now on, and publishes only that.
  func rotateKey() throws { key = try Self.laterKey.get() }

  /// How many requests a path has had.
  func count(_ path: String) -> Int { counts[path] ?? 0 }

  /// A token that says it is signed in another way.
  func idToken(_ claims: JSONObject, header: JSONObject, now: Int64) throws -> String {
    let parts = try idToken(claims, now: now).split(separator: ".")
    let head = Base64URL.encode(JSON.object(header).encodedBytes())
    return "\(head).\(parts[1]).\(header["alg"] == "none" ? "" : parts[2])"
  }

  /// A code that buys an ID token with these claims; `iss`, `aud` and times are filled in.
  func grant(_ grant: Grant) -> String {
    let code = SecureRandom.token()
    grants[code] = grant
    return code
  }

  /// A signed ID token with these claims, `iss`, `aud` and times filled in.
  func idToken(_ claims: JSONObject, now: Int64) throws -> String {
    var full: JSONObject = [
      "iss": .string(origin), "aud": .string(clientID), "iat": .integer(now),
      "exp": .integer(now + 300),
    ]
    for (name, value) in claims.entries { full[name] = value == .null ? nil : value }
    return try key.sign(full)
  }

  private func respond(to request: HTTPRequest) -> Answer {
    counts[request.url.path, default: 0] += 1
    if let make = answers[request.url.path] { return make(request) }
    return .now(answer(request))
  }

  private func answer(_ request: HTTPRequest) -> ServerResponse {
    switch request.url.path {
    case "/.well-known/openid-configuration":
      var document: JSONObject = [
        "issuer": .string(origin), "authorization_endpoint": .string("\(origin)/authorize?kept=1"),
        "token_endpoint": .string("\(origin)/token"), "jwks_uri": .string("\(origin)/jwks"),
        "userinfo_endpoint": .string("\(origin)/userinfo"), "response_types_supported": ["code"],
      ]
      for (name, value) in changes.entries { document[name] = value == .null ? nil : value }
      return ServerResponse(json: .object(document))
    case "/jwks": return ServerResponse(json: ["keys": [.object(key.publicJWK)]])
    case "/token": return tokens(request)
    case "/userinfo":
      let token = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
      guard let profile = profiles[token ?? ""] else { return ServerResponse(status: 401) }
      return ServerResponse(json: .object(profile))
    default: return ServerResponse(status: 404)
    }
  }

  private func tokens(_ request: HTTPRequest) -> ServerResponse {
    let form = request.form
    let pair = [clientID, clientSecret.reveal()].map { PercentEncoding.encode($0) }
    let expected = "Basic " + Base64.encode(Array(pair.joined(separator: ":").utf8))
    guard request.headers["Authorization"] == expected else {
      return ServerResponse(status: 401, json: ["error": "invalid_client"])
    }
    guard let grant = grants.removeValue(forKey: form["code"] ?? ""),
      form["redirect_uri"] == grant.redirectURI,
      PKCE.matches(verifier: form["code_verifier"] ?? "", challenge: grant.challenge),
      let idToken = try? idToken(grant.claims, now: Self.now)
    else { return ServerResponse(status: 400, json: ["error": "invalid_grant"]) }
    let access = SecureRandom.token()
    profiles[access] = grant.profile ?? ["sub": grant.claims["sub"] ?? "?"]
    return ServerResponse(json: [
      "id_token": .string(idToken), "access_token": .string(access), "token_type": "Bearer",
      "expires_in": 3599,
    ])
  }

  nonisolated static var now: Int64 {
    // The emulator's clock starts at the machine's time and this issuer never moves.
    Int64(clockSeconds())
  }
}
