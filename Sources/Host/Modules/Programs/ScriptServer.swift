import HTTP
import Lua
import System

/// An HTTP server of a script, on this machine only: replies by handlers, and keeps the requests.
final class ScriptServer {
  /// How many requests are kept, and how many bytes of their bodies; older ones are dropped.
  private static let keptRequests = 1000
  private static let keptBytes = 16 << 20

  enum Reply {
    case fixed(ServerResponse)
    case function(LuaReference)
  }

  private struct Handler {
    /// `*` for any method.
    let method: String
    /// A path, in which `*` stands for any text.
    let path: String
    let reply: Reply
    /// `file:line` of the call that added it.
    let origin: String?
  }

  private weak var interpreter: Interpreter?
  private var server: HTTPServer?
  /// The port, also after the end.
  private(set) var port: UInt16 = 0
  private var handlers: [Handler] = []
  /// The kept requests, and whether `waitForRequest` has returned each.
  private var received: [(request: HTTPRequest, isReturned: Bool)] = []
  private var bytes = 0
  private var number: Int?

  /// Starts to listen; 0 takes a free port.
  init(port: UInt16, _ interpreter: Interpreter) throws(HTTPError) {
    self.interpreter = interpreter
    let box = OnLoop(value: WeakServer(self))
    let server = try HTTPServer(loop: interpreter.actor.loop, port: port) { request in
      box.value.server?.answer(request) ?? .now(ServerResponse(status: 503))
    }
    self.server = server
    self.port = server.port
    number = interpreter.resources.add { server.stop() }
  }

  deinit { stop() }

  /// Closes the port and all connections.
  func stop() {
    handlers = []
    guard let number else { return }
    self.number = nil
    server = nil
    if let interpreter { interpreter.resources.beginEnd(number, interpreter) }
  }

  var isStopped: Bool { server == nil }

  // MARK: Handlers

  /// Adds a handler, which replaces earlier ones for the same requests.
  func add(_ method: String, _ path: String, _ reply: Reply, origin: String?) {
    handlers.append(Handler(method: method, path: path, reply: reply, origin: origin))
  }

  private func answer(_ request: HTTPRequest) -> Answer {
    keep(request)
    let handler = handlers.last {
      Self.matches($0.method, request.method) && Self.matches($0.path, request.url.path)
    }
    guard let handler else {
      return .now(
        Self.text(404, "no handler of this luath.server fits \(request.method) \(request.url.path)")
      )
    }
    switch handler.reply {
    case .fixed(let response): return .now(response)
    case .function(let function):
      let box = OnLoop(value: (server: self, function, handler.origin, request))
      return .later {
        let (server, function, origin, request) = box.value
        return await server.call(function, origin, request)
      }
    }
  }

  /// Runs a handler as a task, which may wait; its error fails the script like that of a task that was not awaited.
  private func call(
    _ function: LuaReference, _ origin: String?, _ request: HTTPRequest
  ) async -> ServerResponse {
    guard let interpreter else { return ServerResponse(status: 503) }
    do throws(LuaError) {
      let job = try interpreter.spawn(function, [Self.value(of: request, interpreter)])
      job.origin = origin
      await interpreter.end(of: job)
      guard case .finished(let values) = job.state else {
        return Self.text(500, "the handler of this luath.server raised an error")
      }
      guard let value = values.first else { return ServerResponse(status: 204) }
      return try interpreter.lua.read(value) { call, at throws(LuaError) in
        try ReplyReader(call, at).response()
      }
    } catch {
      let message = interpreter.describe(error, traceback: "").message
      interpreter.context.warn?(
        "a handler of luath.server returned no reply: \(message)",
        "return nil, a text, or a table with status, headers, json or body")
      return Self.text(500, message)
    }
  }

  private static func text(_ status: Int, _ text: String) -> ServerResponse {
    ServerResponse(
      status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
      body: Array("\(text.printable)\n".utf8))
  }

  /// Whether a text fits a pattern in which `*` stands for any text.
  private static func matches(_ pattern: String, _ text: String) -> Bool {
    guard pattern.contains("*") else { return pattern == text }
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard let first = parts.first, let last = parts.last, text.hasPrefix(first) else {
      return false
    }
    var rest = text.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(last)
  }

  // MARK: Requests

  /// The kept requests, oldest first.
  func requests() -> [LuaValue] {
    guard let interpreter else { return [] }
    return received.map { Self.value(of: $0.request, interpreter) }
  }

  /// Forgets all requests.
  func clear() {
    received = []
    bytes = 0
  }

  /// Waits for a request that fits and was not returned here before; the oldest one first.
  func next(
    _ method: String, _ path: String, within limit: Duration
  ) async throws(LuaError) -> LuaValue {
    let deadline = ContinuousClock.now + limit
    while let interpreter {
      let index = received.firstIndex { request, isReturned in
        !isReturned && Self.matches(method, request.method)
          && Self.matches(path, request.url.path)
      }
      if let index {
        received[index].isReturned = true
        return Self.value(of: received[index].request, interpreter)
      }
      guard ContinuousClock.now < deadline else {
        throw .object([
          ("code", .string("timedOut")),
          ("message", .string(Self.missing(method, path))),
          ("hint", .string("server:requests() lists what was received; or allow more time")),
        ])
      }
      do { try await interpreter.actor.loop.sleep(for: .milliseconds(5)) } catch {
        throw TaskErrors.cancelled
      }
    }
    throw TaskErrors.closed
  }

  private static func missing(_ method: String, _ path: String) -> String {
    let kind = [method, path].filter { $0 != "*" }.joined(separator: " ")
    return "no request\(kind.isEmpty ? "" : " \(kind.printable)") was received in time"
  }

  private func keep(_ request: HTTPRequest) {
    received.append((request, false))
    bytes += request.body.count
    while received.count > Self.keptRequests || bytes > Self.keptBytes, received.count > 1 {
      bytes -= received.removeFirst().request.body.count
    }
  }

  private static func value(of request: HTTPRequest, _ interpreter: Interpreter) -> LuaValue {
    let fields = request.url.fields.pairs.reversed().map { ($0.name, LuaValue.string($0.value)) }
    let headers = request.headers.fields.map { ($0.name.lowercased(), LuaValue.string($0.value)) }
    var members: [(String, LuaValue)] = [
      ("method", .string(request.method)), ("path", .string(request.url.path)),
      ("query", .record(fields)), ("headers", .record(headers)), ("body", .bytes(request.body)),
    ]
    let type = request.headers["Content-Type"]?.lowercased() ?? ""
    if type.contains("json"), let json = try? JSON.parse(request.body) {
      members.append(("json", JSONBridge.value(json, interpreter)))
    }
    return .record(members)
  }
}

/// Refers to the server of a script, without which its port closes.
private final class WeakServer {
  weak var server: ScriptServer?
  init(_ server: ScriptServer) { self.server = server }
}

/// Reads what a handler returns: nil, a text, or a table.
struct ReplyReader {
  /// The fields of a table.
  static var fields: [LuaParameter] {
    [
      LuaParameter("status", .integer, optional: true, "from 200 to 599; 200"),
      LuaParameter("headers", .map(.string), optional: true, "header fields by name"),
      LuaParameter("json", .any, optional: true, "a body of JSON"),
      LuaParameter("body", .bytes, optional: true, "a body of bytes"),
    ]
  }

  private let call: LuaCall
  private let index: Int

  init(_ call: LuaCall, _ index: Int) {
    self.call = call
    self.index = index
  }

  func response() throws(LuaError) -> ServerResponse {
    if call.isNil(index) { return ServerResponse(status: 204) }
    if !call.isTable(index), let bytes = call.bytes(index) {
      return ServerResponse(headers: ["Content-Type": "text/plain; charset=utf-8"], body: bytes)
    }
    guard call.isTable(index) else {
      throw .message("a reply is nil, a text or a table, not a \(call.typeName(index))")
    }
    var response = ServerResponse()
    let status = call.field(index, "status") { $0.isNil($1) ? nil : $0.integer($1) ?? -1 }
    if let status {
      guard (200...599).contains(status) else {
        throw .message("the status of a reply is a number from 200 to 599")
      }
      response.status = Int(status)
    }
    let hasJSON = call.field(index, "json") { !$0.isNil($1) }
    if hasJSON {
      let json = try call.field(index, "json") { (call, at) -> Result<JSON, LuaError> in
        do throws(LuaError) { return .success(try JSONBridge.read(call, at)) } catch {
          return .failure(error)
        }
      }.get()
      response.headers.set("Content-Type", "application/json")
      response.body = json.encodedBytes()
    }
    let body = call.field(index, "body") { $0.bytes($1) }
    if let body {
      guard !hasJSON else { throw .message("a reply has json or body, not both") }
      response.body = body
    }
    let headers = call.field(index, "headers") { $0.isTable($1) ? $0.stringPairs($1) : [] }
    for (name, value) in headers { response.headers.set(name, value) }
    guard status != nil || hasJSON || body != nil || !headers.isEmpty else {
      throw .message("the table of a reply has none of status, headers, json and body")
    }
    return response
  }
}
