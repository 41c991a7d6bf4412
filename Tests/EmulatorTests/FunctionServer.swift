@testable import System
@testable import HTTP

/// Cloud functions of a test: answers by path, and what they were sent.
actor FunctionServer {
  struct Received: Sendable {
    let path: String
    let body: JSON
  }

  nonisolated let loop: EventLoop
  private var server: HTTPServer?
  private var answers: [String: (status: Int, body: String, location: String?)] = [:]
  private var meanwhile: (@Sendable () async -> Void)?
  private(set) var received: [Received] = []
  private var waiters: [CheckedContinuation<Received, Never>] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private init() throws {
    loop = try EventLoop(name: "functions")
    try loop.start()
  }

  /// Runs `body` with a server that listens, and its origin.
  static func run(_ body: (FunctionServer, String) async throws -> Void) async throws {
    let server = try FunctionServer()
    do {
      try await body(server, try await server.listen())
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private func listen() throws -> String {
    let server = try HTTPServer(loop: loop) { [weak self] request in
      guard let self else { return .now(ServerResponse(status: 503)) }
      return .later { await self.answer(request) }
    }
    self.server = server
    return "http://127.0.0.1:\(server.port)"
  }

  /// Stops listening: further calls are refused.
  func close() {
    server?.stop()
    server = nil
  }

  private nonisolated func stop() async {
    await close()
    loop.stop()
    loop.join()
  }

  func set(_ path: String, status: Int = 200, _ body: JSON, location: String? = nil) {
    answers[path] = (status, body.encoded(), location)
  }

  func set(_ path: String, status: Int = 200, text: String) {
    answers[path] = (status, text, nil)
  }

  /// Does something while the emulator waits for the next answer.
  func interrupt(by work: @escaping @Sendable () async -> Void) {
    meanwhile = work
  }

  /// The first thing received, now or later.
  func first() async -> Received {
    if let first = received.first { return first }
    return await withCheckedContinuation { waiters.append($0) }
  }

  private func answer(_ request: HTTPRequest) async -> ServerResponse {
    let got = Received(
      path: request.url.path, body: (try? JSON.parse(request.body)) ?? .null)
    received.append(got)
    for waiter in waiters { waiter.resume(returning: got) }
    waiters = []
    if let work = meanwhile {
      meanwhile = nil
      await work()
    }
    let answer = answers[request.url.path] ?? (200, "{}", nil)
    var headers: HTTPHeaders = ["Content-Type": "application/json"]
    headers["Location"] = answer.location
    return ServerResponse(status: answer.status, headers: headers, body: Array(answer.body.utf8))
  }
}
