@testable import System
@testable import HTTP
import Synchronization

/// A backend that answers what the local part of the address in a request says, and counts.
final class StrangeBackend: Sendable {
  private let loop: EventLoop
  private let counts = Mutex<[String: Int]>([:])

  /// What is answered, by name; what has none is an empty 200.
  private static let answers: [String: (status: Int, type: String, body: String)] = [
    "page": (200, "text/html", "<!DOCTYPE html><title>Sign in to the network</title>"),
    "refused-page": (403, "text/html", "<html>Forbidden</html>"),
    "truncated": (200, "application/json", #"{"idToken":"eyJ-secret","refresh"#),
    "damaged": (200, "application/json", #"{"idToken" "eyJ-secret"}"#),
    "list": (200, "application/json", "[]"), "text": (200, "text/plain", "It works!"),
    "nameless": (500, "application/json", #"{"message":"oops"}"#),
    "google": (
      503, "application/json",
      #"{"error":{"code":503,"message":"The service is currently unavailable.","status":"UNAVAILABLE"}}"#
    ),
    "quota": (
      429, "application/json",
      #"{"error":{"code":429,"message":"Quota exceeded for quota metric.","status":"RESOURCE_EXHAUSTED"}}"#
    ),
    "busy": (429, "text/html", "<html>Too many requests"),
    "unknown": (
      400, "application/json", #"{"error":{"code":400,"message":"SOMETHING_NEW : words"}}"#
    ),
    "tokens": (200, "application/json", #"{"idToken":7,"refreshToken":[],"localId":{}}"#),
  ]

  init() throws {
    loop = try EventLoop(name: "strange")
    try loop.start()
  }

  /// Listens until `stop`, and gives the address.
  func start() async throws -> String {
    let loop = loop
    let port = try await LoopActor(loop).run { [self] _ in
      UInt16(try HTTPServer(loop: loop) { .now(self.answer($0)) }.port)
    }
    return "http://127.0.0.1:\(port)"
  }

  func stop() {
    loop.stop()
    loop.join()
  }

  /// How many requests have asked for an answer.
  func count(_ name: String) -> Int { counts.withLock { $0[name, default: 0] } }

  private func answer(_ request: HTTPRequest) -> ServerResponse {
    let body = try? request.json()
    let address = body?["email"]?.string ?? body?["identifier"]?.string ?? ""
    let name = String(address.prefix { $0 != "@" })
    counts.withLock { $0[name, default: 0] += 1 }
    guard let answer = Self.answers[name] else { return ServerResponse() }
    return ServerResponse(status: answer.status, text: answer.body, type: answer.type)
  }
}
