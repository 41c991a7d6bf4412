@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@testable import Emulator

/// Sends requests to a fixture's emulator from several tasks at once, which a `Fixture` cannot.
struct Caller: Sendable {
  private let loop: EventLoop
  private let origin: String

  init(_ fixture: Fixture) {
    loop = fixture.emulator.loop
    origin = fixture.origin
  }

  func call(_ endpoint: Endpoint, _ body: JSON) async throws -> Fixture.Reply {
    try await request("POST", "\(endpoint.service.host)/\(endpoint.path)?key=fake-key", body)
  }

  func request(
    _ method: String, _ path: String, _ body: JSON? = nil, headers: HTTPHeaders = [:]
  ) async throws -> Fixture.Reply {
    var request = HTTPRequest(
      method: method, url: try #require(WebURL("\(origin)/\(path)")), headers: headers)
    if let body {
      request.body = body.encodedBytes()
      request.headers.set("Content-Type", "application/json")
    }
    let response = try await HTTPClient(loop: loop).send(request)
    return Fixture.Reply(status: response.status, json: try response.json())
  }
}
