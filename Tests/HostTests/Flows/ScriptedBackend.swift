@testable import System
@testable import HTTP
import Synchronization
import Testing

/// A backend that answers what the script told it to, for what no emulator answers.
///
/// The script queues answers by `POST /script` and reads the requests by `GET /script`.
struct ScriptedBackend {
  private let loop: EventLoop
  let origin: String

  private final class Memory: Sendable {
    struct Content {
      var answers: [String: [JSON]] = [:]
      var requests: [JSON] = []
    }
    let content = Mutex(Content())
  }

  init() async throws {
    loop = try EventLoop(name: "scripted")
    try loop.start()
    let (loop, memory) = (loop, Memory())
    let port = try await LoopActor(loop).run { _ in
      // It listens until the loop ends.
      UInt16(try HTTPServer(loop: loop) { .now(Self.answer($0, memory)) }.port)
    }
    origin = "http://127.0.0.1:\(port)"
  }

  func stop() {
    loop.stop()
    loop.join()
  }

  /// Puts what `support/scripted.lua` gives at hand.
  static let prelude = """
    local scripted = require "support.scripted" \
    local answer, fails, accept = scripted.answer, scripted.fails, scripted.accept \
    local requests, sent, jwt, token = scripted.requests, scripted.sent, scripted.jwt, scripted.token\u{20}
    """

  private static func answer(_ request: HTTPRequest, _ memory: Memory) -> ServerResponse {
    let name =
      request.url.path.split(separator: "/").last
      .flatMap { $0.split(separator: ":").last }.map(String.init) ?? ""
    if name == "script" {
      guard request.method == "POST", let order = try? request.json() else {
        return ServerResponse(json: .array(memory.content.withLock { $0.requests }))
      }
      memory.content.withLock { $0.answers[order["name"]?.string ?? "", default: []].append(order) }
      return ServerResponse(json: [:])
    }
    let order = memory.content.withLock { content -> JSON? in
      content.requests.append([
        "name": .string(name), "body": (try? request.json()) ?? .null,
        "headers": .object(
          JSONObject(request.headers.fields.map { ($0.name.lowercased(), .string($0.value)) })),
        "form": .object(JSONObject(request.form.pairs.map { ($0.name, .string($0.value)) })),
      ])
      guard content.answers[name]?.isEmpty == false else { return nil }
      return content.answers[name]?.removeFirst()
    }
    guard let order else {
      return ServerResponse(
        status: 404, json: ["error": ["code": 404, "message": "no answer for \(name)"]])
    }
    return ServerResponse(
      status: Int(order["status"]?.integer ?? 200), json: order["body"] ?? [:])
  }
}

extension Flow {
  /// Runs `Programs/NAME.lua` against a backend that answers what the program tells it to.
  func runScripted(
    program name: String, given values: JSON = .object([:]),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await runScripted(
      Self.text(ofProgram: name, given: values), sourceLocation: sourceLocation)
  }

  /// Runs a flow against a backend that answers what the flow tells it to.
  func runScripted(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let backend = try await ScriptedBackend()
    defer { backend.stop() }
    var flow = self
    flow.runner.origin = backend.origin
    try await flow.run(ScriptedBackend.prelude + text, sourceLocation: sourceLocation)
  }
}
