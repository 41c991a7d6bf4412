@testable import System
@testable import HTTP
@testable import OIDC
@testable import Host
import Testing

/// Signing in on another device: a second task of the script is the person there.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DeviceTests {
  @Test func `without a function and a terminal nobody would see the code`() async throws {
    try await Flow().run(program: "Device/no-terminal")
  }

  private static let key = Result { try SigningKey.generate() }

  /// A provider whose devices get an ID token with one claim changed.
  private static func provider(_ claim: String, _ value: JSON) throws
    -> @Sendable (HTTPRequest) ->
    ServerResponse
  {
    let key = try key.get()
    return { request in
      let issuer = "http://" + (request.headers["Host"] ?? "")
      switch request.url.path {
      case "/.well-known/openid-configuration":
        return ServerResponse(json: [
          "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
          "token_endpoint": .string("\(issuer)/token"), "jwks_uri": .string("\(issuer)/jwks"),
          "device_authorization_endpoint": .string("\(issuer)/device"),
          "response_types_supported": ["code"],
        ])
      case "/jwks": return ServerResponse(json: ["keys": [.object(key.publicJWK)]])
      case "/device":
        return ServerResponse(json: [
          "device_code": "d", "user_code": "WDJB-MJHT", "interval": 1, "expires_in": 600,
          "verification_uri": .string("\(issuer)/enter"),
        ])
      case "/token":
        var claims: JSONObject = [
          "iss": .string(issuer), "aud": "client-1", "sub": "ada", "iat": 1_000_000_000,
          "exp": 99_999_999_999,
        ]
        claims[claim] = value
        guard let token = try? key.sign(claims) else { return ServerResponse(status: 500) }
        return ServerResponse(json: ["id_token": .string(token), "access_token": "a"])
      default: return ServerResponse(status: 404)
      }
    }
  }

  @Test(
    arguments: [
      ("iss", "https://other.example", "from another issuer"),
      ("aud", "client-2", "for another client"), ("exp", 1_000_000_001, "has expired"),
    ] as [(String, JSON, String)])
  func `an ID token that is not for this app is no credential`(
    claim: String, value: JSON, words: String
  ) async throws {
    try await CannedServer.run(try Self.provider(claim, value)) { server in
      try await Flow().run(
        program: "Device/foreign-token",
        given: ["issuer": .string(server.origin), "words": .string(words)])
    }
  }

  @Test func `without a function the terminal shows address and code`() async throws {
    let keyboard = try await Keyboard()
    defer { keyboard.stop() }
    let runner = ScriptRunner(
      environment: ["KEYBOARD": keyboard.origin], terminal: keyboard.terminal(columns: 80))
    try await Flow(runner: runner).run(program: "Device/terminal")
  }
}
