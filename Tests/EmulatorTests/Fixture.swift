@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

/// A running emulator and a client that talks to it over a socket, as every user of it does.
final class Fixture {
  let emulator: Emulator
  let clock: EmulatorClock
  let origin: String
  private let client: HTTPClient
  /// Shared, since a key takes longer to make than any of these tests.
  private static let keys = SigningKeys()

  init(_ emulator: Emulator, port: UInt16) {
    self.emulator = emulator
    clock = emulator.clock
    origin = "http://127.0.0.1:\(port)"
    client = HTTPClient(loop: emulator.loop)
  }

  /// Runs `body` against a fresh emulator of the demo project, changed as the test needs.
  static func run(
    rules: Rules = .production, keys: SigningKeys = Fixture.keys, keepsQuotas: Bool = false,
    isSingleProject: Bool = false, patience: Duration = .seconds(15),
    _ change: (inout ProjectConfiguration) -> Void = { _ in },
    _ body: (Fixture) async throws -> Void
  ) async throws {
    var project = ProjectConfiguration.demo
    change(&project)
    // Standing still, the clock cannot turn a slow machine into an expired token.
    let clock = EmulatorClock(frozenAt: Int64(clockSeconds()))
    let emulator = try Emulator(
      project: project, rules: rules, clock: clock, keys: keys, keepsQuotas: keepsQuotas,
      isSingleProject: isSingleProject)
    await emulator.wait(forProviders: patience)
    do {
      let port = try await emulator.start()
      try await body(Fixture(emulator, port: port))
    } catch {
      await emulator.stop()
      throw error
    }
    await emulator.stop()
  }

  /// An answer: its status and its body.
  struct Reply {
    let status: Int
    let json: JSON

    /// The name a refusal begins with, nil for a success.
    var error: String? {
      json["error"]?["message"]?.string.map { message in
        String(message.prefix { $0 != ":" }).trimmed
      }
    }
    var message: String { json["error"]?["message"]?.string ?? "" }
    subscript(key: String) -> JSON? { json[key] }
  }

  func post(
    _ path: String, _ body: JSON, key: String? = "fake-key", headers: HTTPHeaders = [:]
  ) async throws -> Reply {
    let address = "\(origin)/\(path)" + (key.map { "?key=\($0)" } ?? "")
    return try await send(.post(try #require(WebURL(address)), json: body, headers: headers))
  }

  func call(_ endpoint: Endpoint, _ body: JSON = [:]) async throws -> Reply {
    try await post("\(endpoint.service.host)/\(endpoint.path)", body)
  }

  func admin(_ path: String, _ body: JSON = [:]) async throws -> Reply {
    try await post(
      "identitytoolkit.googleapis.com/v1/projects/demo-luath/\(path)", body, key: nil,
      headers: ["Authorization": "Bearer owner"])
  }

  /// An administrator's call by any method, below Identity Toolkit's address.
  func asAdmin(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> Reply {
    try await request(
      method, "identitytoolkit.googleapis.com/\(path)", body,
      headers: ["Authorization": "Bearer owner"])
  }

  func request(
    _ method: String, _ path: String, _ body: JSON? = nil, headers: HTTPHeaders = [:]
  ) async throws -> Reply {
    var request = HTTPRequest(
      method: method, url: try #require(WebURL("\(origin)/\(path)")), headers: headers)
    if let body {
      request.body = body.encodedBytes()
      request.headers.set("Content-Type", "application/json")
    }
    return try await send(request)
  }

  func send(_ request: HTTPRequest) async throws -> Reply {
    let response = try await exchange(request)
    return Reply(status: response.status, json: try response.json())
  }

  func exchange(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await client.send(request)
  }

  // MARK: Shorthands

  func signUp(_ email: String, _ password: String = "correct horse") async throws -> Reply {
    let reply = try await call(
      .signUp, ["email": .string(email), "password": .string(password), "returnSecureToken": true])
    try #require(reply.status == 200, "\(reply.message)")
    return reply
  }

  func lookup(_ idToken: JSON?) async throws -> Reply {
    try await call(.lookup, ["idToken": idToken ?? .null])
  }

  func user(_ idToken: JSON?) async throws -> JSON {
    try #require(try await lookup(idToken)["users"]?[0])
  }

  func claims(_ idToken: JSON?) throws -> JSONObject {
    try JWT(decoding: try #require(idToken?.string)).claims
  }
}

extension String {
  var trimmed: String {
    var text = self[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
