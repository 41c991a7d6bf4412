@testable import System
@testable import HTTP
@testable import OIDC
import Glibc

/// An OpenID provider of somebody else, which signs whatever claims a test wants.
struct TokenIssuer {
  private let loop: EventLoop
  private let key: SigningKey
  private let stranger: SigningKey
  /// The issuer's name, and where it listens.
  let origin: String
  let clientID = "client-1"

  private static let keys = Result { (try SigningKey.generate(), try SigningKey.generate()) }

  init() async throws {
    loop = try EventLoop(name: "issuer")
    try loop.start()
    (key, stranger) = try Self.keys.get()
    let jwks: JSON = ["keys": [.object(key.publicJWK)]]
    let loop = loop
    let port = try await LoopActor(loop).run { _ in
      let server = try HTTPServer(loop: loop) { .now(Self.answer($0, jwks)) }
      // It listens until the loop ends.
      return UInt16(server.port)
    }
    origin = "http://127.0.0.1:\(port)"
  }

  func stop() {
    loop.stop()
    loop.join()
  }

  /// A signed ID token; `iss`, `aud` and times are filled in, and null takes a claim away.
  func idToken(_ claims: JSONObject, byStranger: Bool = false) throws -> String {
    var full: JSONObject = [
      "iss": .string(origin), "aud": .string(clientID), "iat": .integer(Self.now),
      "exp": .integer(Self.now + 300),
    ]
    for (name, value) in claims.entries { full[name] = value == .null ? nil : value }
    return try (byStranger ? stranger : key).sign(full)
  }

  private static func answer(_ request: HTTPRequest, _ jwks: JSON) -> ServerResponse {
    let host = "http://" + (request.headers["Host"] ?? "")
    switch request.url.path {
    case "/.well-known/openid-configuration":
      return ServerResponse(json: [
        "issuer": .string(host), "authorization_endpoint": .string("\(host)/authorize"),
        "token_endpoint": .string("\(host)/token"), "jwks_uri": .string("\(host)/jwks"),
        "response_types_supported": ["code", "id_token"],
      ])
    case "/other/.well-known/openid-configuration":
      return ServerResponse(json: [
        "issuer": "http://127.0.0.1:1/another", "authorization_endpoint": .string("\(host)/a"),
        "token_endpoint": .string("\(host)/token"), "jwks_uri": .string("\(host)/jwks"),
        "response_types_supported": ["code"],
      ])
    case "/jwks": return ServerResponse(json: jwks)
    // A form that leads to itself for ever.
    case "/maze":
      return page("<form method=post action=/maze><button>Continue</button></form>")
    case "/again":
      return page("<form method=post action=/again><input name=username><button>On</button></form>")
    case "/circle":
      return ServerResponse(status: 302, headers: ["Location": "/circle"])
    // A form that would carry the password to a stranger.
    case "/leak":
      return page(
        """
        <form method=post action="http://127.0.0.2:1/"><input name=username>
        <input type=password name=password><button>Sign in</button></form>
        """)
    case "/blank": return page("<p>Nothing to fill in here.</p>")
    default: return ServerResponse(status: 404)
    }
  }

  private static func page(_ body: String) -> ServerResponse {
    ServerResponse(
      headers: ["Content-Type": "text/html"],
      body: Array("<!DOCTYPE html><title>Page</title>\(body)".utf8))
  }

  /// The emulator's clock starts at the machine's time, and this issuer's never moves.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec)
  }
}
