@testable import System
import Glibc
@testable import HTTP
import Testing

/// Answers with what it was asked, as JSON.
private func echo(_ request: HTTPRequest) -> ServerResponse {
  ServerResponse(
    json: .object([
      "method": .string(request.method), "url": .string(request.url.description),
      "path": .string(request.url.path), "query": request.url.query.map { .string($0) } ?? .null,
      "type": request.headers["content-type"].map { .string($0) } ?? .null,
      "body": .string(String(decoding: request.body, as: UTF8.self)),
    ]), headers: ["X-Echo": "yes"])
}

/// A loop with a server and a client on it.
private func withServer<Value: Sendable>(
  limits: ServerLimits = ServerLimits(), hosts: AllowedHosts = .loopback(),
  handler: @escaping @Sendable (HTTPRequest) -> Answer = { .now(echo($0)) },
  _ body: @Sendable (isolated LoopActor, HTTPServer, HTTPClient) async throws -> Value
) async throws -> Value {
  try await withLoop { loop in
    try await LoopActor(loop).run { actor throws -> Value in
      let server = try HTTPServer(
        loop: loop, limits: limits, hosts: hosts, handler: handler)
      return try await body(actor, server, HTTPClient(loop: loop))
    }
  }
}

/// The status of a GET made by a client of its own.
private func status(of url: WebURL, on loop: EventLoop) async -> Int? {
  await LoopActor(loop).run { _ in
    try? await HTTPClient(loop: loop).send(HTTPRequest(url: url)).status
  }
}

extension HTTPServer {
  fileprivate func url(_ path: String) throws -> WebURL {
    try #require(WebURL("http://127.0.0.1:\(port)\(path)"))
  }
}

@Suite(.timeLimit(.minutes(1))) struct HTTPServerTests {
  @Test func `a request arrives as it was sent`() async throws {
    try await withServer { _, server, client in
      let url = try server.url("/v1/accounts:signUp%20x/..%2f?key=a+b%26&key=2")
      let response = try await client.send(.post(url, json: ["a": "\u{E9}"]))
      let seen = try response.json()
      #expect(response.status == 200)
      #expect(response.headers["x-echo"] == "yes")
      #expect(response.headers["Content-Type"] == "application/json; charset=utf-8")
      #expect(response.protocolName == "HTTP/1.1")
      #expect(response.url == url)
      #expect(response.duration > .zero)
      #expect(seen["method"]?.string == "POST")
      #expect(seen["path"]?.string == "/v1/accounts:signUp%20x/..%2f")
      #expect(seen["query"]?.string == "key=a+b%26&key=2")
      #expect(seen["url"]?.string == url.description)
      #expect(seen["type"]?.string == "application/json")
      #expect(seen["body"]?.string == "{\"a\":\"\u{E9}\"}")
    }
  }

  @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "PURGE"])
  func `every method arrives, with and without a body`(_ method: String) async throws {
    try await withServer { _, server, client in
      for body in ["", "some text"] where method != "HEAD" || body.isEmpty {
        let request = HTTPRequest(
          method: method, url: try server.url("/m"), body: Array(body.utf8))
        // Twice, because the second request reuses the first one's handle.
        for _ in 0..<2 {
          let response = try await client.send(request)
          #expect(response.status == 200)
          guard method != "HEAD" else {
            #expect(response.body.isEmpty)
            continue
          }
          let seen = try response.json()
          #expect(seen["method"]?.string == method)
          #expect(seen["body"]?.string == body)
          #expect(seen["type"] == .null)
        }
      }
    }
  }

  @Test func `methods and headers of one request do not leak into the next`() async throws {
    try await withServer { _, server, client in
      let url = try server.url("/")
      _ = try await client.send(HTTPRequest(method: "HEAD", url: url))
      _ = try await client.send(.post(url, form: FormFields([("a", "b")])))
      _ = try await client.send(HTTPRequest(method: "DELETE", url: url))
      let seen = try await client.send(HTTPRequest(url: url)).json()
      #expect(seen["method"]?.string == "GET")
      #expect(seen["type"] == .null)
      #expect(seen["body"]?.string == "")
    }
  }

  @Test func `late answers overlap`() async throws {
    try await withLoop { loop in
      try await LoopActor(loop).run { _ throws in
        // No answer is given before all requests have arrived.
        let meeting = Meeting(of: 64)
        let server = try HTTPServer(loop: loop) { request in
          .later {
            await meeting.join()
            return echo(request)
          }
        }
        let url = try server.url("/later")
        let port = server.port
        try await withThrowingTaskGroup { group in
          for number in 0..<64 {
            group.addTask {
              try await LoopActor(loop).run { _ throws in
                let response = try await HTTPClient(loop: loop)
                  .send(.post(url, json: .integer(Int64(number))))
                #expect(try response.json()["body"]?.string == "\(number)")
              }
            }
          }
          try await group.waitForAll()
        }
        #expect(port == server.port)
      }
    }
  }

  @Test func `a handler may assume the isolation of an actor of the loop`() async throws {
    try await withLoop { loop in
      let actor = LoopActor(loop)
      try await actor.run { _ throws in
        let server = try HTTPServer(loop: loop) { request in
          .now(actor.assumeIsolated { _ in echo(request) })
        }
        let status = try await HTTPClient(loop: loop)
          .send(HTTPRequest(url: server.url("/"))).status
        #expect(status == 200)
      }
    }
  }

  @Test(arguments: [
    ("127.0.0.1", 200), ("localhost", 200), ("LOCALHOST:1234", 200), ("[::1]:80", 200),
    ("allowed.example", 200), ("evil.example", 403), ("127.0.0.1.evil.example", 403),
    ("127.0.0.2", 403), ("localhost@evil.example", 403), ("a b", 403), ("localhost/x", 403),
    ("localhost:99999", 403),
  ])
  func `a foreign Host header is refused`(_ host: String, status: Int) async throws {
    try await withServer(hosts: .loopback(extra: ["Allowed.example"])) { _, server, client in
      var request = HTTPRequest(url: try server.url("/"))
      request.headers.set("Host", host)
      let response = try await client.send(request)
      #expect(response.status == status)
      if status == 403 {
        #expect(response.text.hasPrefix("this server accepts the hosts 127.0.0.1"))
      }
    }
  }

  @Test func `a body above the limit is answered with 413`() async throws {
    try await withServer(limits: ServerLimits(bodyBytes: 1000)) { _, server, client in
      let url = try server.url("/")
      for (count, status) in [(1000, 200), (1001, 413), (4000, 413), (0, 200)] {
        let body = [UInt8](repeating: 0x61, count: count)
        let response = try await client.send(HTTPRequest(method: "POST", url: url, body: body))
        #expect(response.status == status)
      }
      // Far too large: the answer comes at once and the connection ends.
      let body = [UInt8](repeating: 0x61, count: 5 << 20)
      let response = try? await client.send(HTTPRequest(method: "POST", url: url, body: body))
      #expect(response?.status ?? 413 == 413)
    }
  }

  @Test func `a large body arrives whole in both directions`() async throws {
    try await withServer(handler: { .now(ServerResponse(body: $0.body)) }) { _, server, client in
      let body = (0..<(9 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      let url = try server.url("/")
      let response = try await client.send(HTTPRequest(method: "POST", url: url, body: body))
      #expect(response.body == body)
    }
  }

  @Test func `raw requests get what HTTP says`() async throws {
    try await withServer(limits: ServerLimits(bodyBytes: 1000)) { actor, server, _ in
      let port = server.port
      let ok = "HTTP/1.1 200"
      let host = "Host: localhost\r\nConnection: close\r\n"
      for (sent, expected) in [
        ("GET /a?b#c HTTP/1.1\r\n\(host)\r\n", ok),
        ("GET http://localhost/abs?q=1 HTTP/1.1\r\n\(host)\r\n", ok),
        ("GET /\u{E9} HTTP/1.1\r\n\(host)\r\n", ok),
        ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "HTTP/1.1 400"),
        ("GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 400"),
        ("GET nonsense HTTP/1.1\r\n\(host)\r\n", "HTTP/1.1 400"),
        (
          "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", ok
        ),
        (
          "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n"
            + String(repeating: "64\r\n" + String(repeating: "x", count: 100) + "\r\n", count: 11)
            + "0\r\n\r\n", "HTTP/1.1 413"
        ),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: x\r\n\r\n", "HTTP/1.1 400"),
        (
          "POST / HTTP/1.1\r\n\(host)Content-Length: 2000\r\nExpect: 100-continue\r\n\r\n",
          "HTTP/1.1 413"
        ),
        (
          "GET / HTTP/1.1\r\n\(host)"
            + String(repeating: "X: \(String(repeating: "y", count: 500))\r\n", count: 120)
            + "\r\n", "HTTP/1.1 431"
        ),
      ] {
        let answer = await rawExchange(port: port, sent)
        #expect(answer.hasPrefix(expected), "\(sent.prefix(60)) got \(answer.prefix(300))")
      }
      _ = actor
    }
  }

  @Test func `an answer that HTTP does not allow becomes a 500`() async throws {
    try await withServer(handler: { request in
      switch request.url.path {
      case "/header": .now(ServerResponse(headers: ["X": "a\r\nSet-Cookie: evil=1"]))
      case "/status": .now(ServerResponse(status: 99))
      default: .now(ServerResponse(headers: ["Content-Length": "7"], body: [0x61]))
      }
    }) { _, server, client in
      for path in ["/header", "/status"] {
        let response = try await client.send(HTTPRequest(url: server.url(path)))
        #expect(response.status == 500)
        #expect(response.headers["Set-Cookie"] == nil)
      }
      #expect(try await client.send(HTTPRequest(url: server.url("/length"))).text == "a")
    }
  }

  @Test func `a port that is taken is named`() async throws {
    try await withServer { actor, server, _ in
      let port = server.port
      let error = #expect(throws: HTTPError.self) {
        _ = try HTTPServer(loop: actor.loop, port: port) { .now(echo($0)) }
      }
      #expect(error?.code == .portInUse)
      #expect(error?.message == "port \(port) is taken by another process")
    }
  }

  @Test func `stopping answers what still waits and frees the port`() async throws {
    try await withLoop { loop in
      let (arrivals, arrival) = AsyncStream<Void>.makeStream()
      try await LoopActor(loop).run { _ throws in
        let server = try HTTPServer(loop: loop) { _ in
          .later {
            arrival.yield()
            try? await loop.sleep(for: .seconds(3600))
            return ServerResponse()
          }
        }
        let url = try server.url("/")
        let waiting = Task { await status(of: url, on: loop) }
        for await _ in arrivals { break }
        server.stop()
        server.stop()
        #expect(await waiting.value == 503)
        let again = try HTTPServer(loop: loop, port: server.port) { .now(echo($0)) }
        #expect(again.port == server.port)
        let answer = try await HTTPClient(loop: loop).send(HTTPRequest(url: again.url("/")))
        #expect(answer.status == 200)
      }
    }
  }

  @Test func `a client that hangs up before a late answer harms nobody`() async throws {
    try await withLoop { loop in
      let (arrivals, arrival) = AsyncStream<Void>.makeStream()
      let (permits, permit) = AsyncStream<Void>.makeStream()
      let gate = Task { for await _ in permits {} }
      try await LoopActor(loop).run { _ throws in
        let server = try HTTPServer(loop: loop) { request in
          .later {
            arrival.yield()
            await gate.value
            return echo(request)
          }
        }
        for _ in 0..<20 {
          let port = server.port
          await rawSend(port: port, "GET /gone HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        // Those who are answered have hung up already.
        var arrived = 0
        for await _ in arrivals {
          arrived += 1
          if arrived == 20 { break }
        }
        permit.finish()
        let answer = try await HTTPClient(loop: loop).send(HTTPRequest(url: server.url("/")))
        #expect(answer.status == 200)
      }
    }
  }

  @Test func `a handler may stop its own server`() async throws {
    final class Box: @unchecked Sendable { var server: HTTPServer? }
    try await withLoop { loop in
      try await LoopActor(loop).run { _ throws in
        let box = Box()
        box.server = try HTTPServer(loop: loop) { request in
          box.server?.stop()
          return .now(echo(request))
        }
        let url = try #require(try box.server?.url("/"))
        let client = HTTPClient(loop: loop)
        _ = try? await client.send(HTTPRequest(url: url))
        let error = await #expect(throws: HTTPError.self) {
          _ = try await client.send(HTTPRequest(url: url))
        }
        #expect(error?.code == .connect)
        box.server = nil
      }
    }
  }

  @Test func `waiting connections and late answers use no processor time`() async throws {
    try await withLoop { loop in
      let (arrivals, arrival) = AsyncStream<Void>.makeStream()
      try await LoopActor(loop).run { _ throws in
        let server = try HTTPServer(loop: loop) { request in
          guard request.url.path == "/late" else { return .now(echo(request)) }
          return .later {
            arrival.yield()
            try? await loop.sleep(for: .seconds(3600))
            return ServerResponse()
          }
        }
        _ = try await HTTPClient(loop: loop).send(HTTPRequest(url: server.url("/")))
        let url = try server.url("/late")
        let late = Task { await status(of: url, on: loop) }
        for await _ in arrivals { break }
        try await waitUntilAsleep(loop)
        server.stop()
        #expect(await late.value == 503)
      }
    }
  }

  @Test func `a silent connection is closed after the idle time`() async throws {
    try await withServer(limits: ServerLimits(idleTimeout: .seconds(1))) { _, server, _ in
      let port = server.port
      let answer = await rawExchange(port: port, "GET / HTTP/1.1\r\nHost: lo", closes: false)
      #expect(answer == "" || answer.hasPrefix("HTTP/1.1 408"))
    }
  }

  @Test func `a thousand connections are answered`() async throws {
    try await withServer { actor, server, _ in
      let url = try server.url("/")
      let loop = actor.loop
      let count = await withTaskGroup { group in
        for _ in 0..<1000 {
          group.addTask {
            await status(of: url, on: loop) == 200 ? 1 : 0
          }
        }
        return await group.reduce(0, +)
      }
      #expect(count == 1000)
    }
  }
}

/// Lets nobody go before everybody has come.
private actor Meeting {
  private let size: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(of size: Int) { self.size = size }

  func join() async {
    guard waiting.count + 1 < size else {
      for continuation in waiting { continuation.resume() }
      waiting = []
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }
}
