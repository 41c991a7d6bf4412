@testable import Emulator
@testable import System
@testable import HTTP

/// Stands in for Firebase's emulator: luath's under compatible rules, without the paths that only luath's has.
///
/// An unknown path has the answer of Firebase's emulator: 404 with `Not Found`.
final class FirebaseStandIn: Sendable {
  /// The port it listens on.
  let port: UInt16
  private let loop: EventLoop

  /// Starts it in front of an emulator.
  init(before emulator: UInt16) async throws {
    let loop = try EventLoop(name: "stand-in")
    try loop.start()
    self.loop = loop
    port = try await LoopActor(loop).run { actor in
      let front = Front(loop: actor.loop, emulator: emulator)
      // It listens until the loop ends.
      return try HTTPServer(loop: actor.loop) { request in
        Self.isOwn(request.url.path) ? .now(Self.notFound) : .later { await front.forward(request) }
      }.port
    }
  }

  func stop() {
    loop.stop()
    loop.join()
  }

  /// Whether only luath's emulator has the path.
  private static func isOwn(_ path: String) -> Bool {
    let parts = path.split(separator: "/").map(String.init)
    switch parts.first {
    case "emulator":
      return ["clock", "people", "faults", "events", "serviceAccount", "mails", "sms"]
        .contains(parts.last)
    case "identitytoolkit.googleapis.com", "securetoken.googleapis.com", nil: return false
    case "www.googleapis.com": return parts.dropFirst().first != "identitytoolkit"
    default: return true
    }
  }

  private static let notFound = ServerResponse(
    status: 404,
    json: [
      "error": [
        "code": 404, "message": "Not Found", "status": "NOT_FOUND",
        "errors": [["message": "Not Found", "reason": "notFound"]],
      ]
    ])

  /// What passes requests on.
  ///
  /// Only tasks of the stand-in's loop use it, and the client is made on that loop.
  private final class Front: @unchecked Sendable {
    private let client: HTTPClient
    private let emulator: UInt16

    init(loop: EventLoop, emulator: UInt16) {
      client = HTTPClient(loop: loop)
      self.emulator = emulator
    }

    func forward(_ request: HTTPRequest) async -> ServerResponse {
      var sent = request
      guard let url = WebURL("http://127.0.0.1:\(emulator)\(request.url.pathAndQuery)") else {
        return ServerResponse(status: 500, text: "no address")
      }
      sent.url = url
      sent.headers.set("Host", url.authority)
      do throws(HTTPError) {
        let response = try await client.send(sent)
        var headers = response.headers
        for name in ["Content-Length", "Date", "Connection"] { headers.remove(name) }
        return ServerResponse(status: response.status, headers: headers, body: response.body)
      } catch {
        return ServerResponse(status: 502, text: error.message)
      }
    }
  }
}
