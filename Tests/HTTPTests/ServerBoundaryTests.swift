@testable import System
import Glibc
@testable import HTTP
import Testing

/// Runs a server that answers with what it was asked, and asks it once more at the end.
private func withEcho(
  address: String = "127.0.0.1", limits: ServerLimits = ServerLimits(),
  hosts: AllowedHosts = .loopback(),
  _ body: @Sendable (_ actor: isolated LoopActor, _ port: UInt16) async throws -> Void
) async throws {
  try await withLoop { loop in
    try await LoopActor(loop).run { actor throws in
      let server = try HTTPServer(loop: loop, address: address, limits: limits, hosts: hosts) {
        let body = String(decoding: $0.body, as: UTF8.self)
        return .now(ServerResponse(text: "\($0.method) \($0.url.pathAndQuery) <\(body)>\n"))
      }
      let port = server.port
      try await body(actor, port)
      // Whatever came before, the server goes on.
      let host = address.contains(":") ? "[::1]" : "127.0.0.1"
      let url = try #require(WebURL("http://\(host):\(port)/alive"))
      #expect(
        try await HTTPClient(loop: loop).send(HTTPRequest(url: url)).text == "GET /alive <>\n")
    }
  }
}

private let host = "Host: localhost\r\n"

@Suite("The server's borders", .timeLimit(.minutes(1))) struct ServerBoundaryTests {
  @Test func `pipelined requests are answered in order`() async throws {
    try await withEcho { actor, port in
      let requests = (0..<50).map {
        "POST /\($0) HTTP/1.1\r\n\(host)Content-Length: 3\r\n\r\n\(100 + $0)"
      }
      let last = "GET /last HTTP/1.1\r\n\(host)Connection: close\r\n\r\n"
      let answer = await rawExchange(port: port, requests.joined() + last)
      let lines = answer.split(whereSeparator: \.isNewline).filter { $0.hasSuffix(">") }
      #expect(lines == (0..<50).map { "POST /\($0) <\(100 + $0)>" } + ["GET /last <>"])
      _ = actor
    }
  }

  @Test(arguments: [
    "zz\r\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "-1\r\nabc\r\n0\r\n\r\n",
    "ffffffffffffffffff\r\nabc\r\n0\r\n\r\n", "\r\nabc\r\n0\r\n\r\n", "3\r\nab", "3",
  ])
  func `broken chunks never reach the handler`(chunks: String) async throws {
    try await withEcho { actor, port in
      let answer = await rawExchange(
        port: port, "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n\(chunks)")
      #expect(answer == "" || answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(200))")
      _ = actor
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost localhost\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
    "GET / HTTP/9.9\r\n\(host)\r\n", "GET / HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n",
    "GET / HTTP/1.1\r\n\(host)Content-Length: 99999999999999999999999\r\n\r\n",
    "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: gzip\r\n\r\nabc",
    "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\n\(host)\r\n",
    "GET / HTTP/1.1\r\n\(host)\(String(repeating: "a: b\r\n", count: 20_000))\r\n",
    "GET / HTTP/1.1\r\nHost: \r\n\r\n",
  ])
  func `a head that is not HTTP is refused`(head: String) async throws {
    try await withEcho { actor, port in
      let answer = await rawExchange(port: port, head)
      #expect(
        answer == "" || answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 5"),
        "\(answer.prefix(200))")
      _ = actor
    }
  }

  @Test func `a request that never ends is cut off after the idle time`() async throws {
    let limits = ServerLimits(idleTimeout: .seconds(1))
    try await withEcho(limits: limits) { actor, port in
      await withTaskGroup { group in
        for begun in [
          "POST / HTTP/1.1\r\n\(host)Content-Length: 10\r\n\r\nabc",
          "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
          "GET / HTTP/1.1\r\n\(host)",
        ] {
          group.addTask { await rawExchange(port: port, begun, closes: false) }
        }
        for await answer in group {
          #expect(answer == "" || answer.hasPrefix("HTTP/1.1 408"), "\(answer.prefix(200))")
        }
      }
      _ = actor
    }
  }

  @Test func `a client that leaves within a request harms nobody`() async throws {
    try await withEcho { actor, port in
      for sent in [
        "", "G", "GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\n\(host)Content-Length: 10\r\n\r\nabc",
        "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n3\r\nab",
      ] {
        await rawSend(port: port, sent)
        #expect(await !rawExchange(port: port, sent).hasPrefix("HTTP/1.1 2"))
      }
      _ = actor
    }
  }

  @Test func `more connections than allowed wait for their turn`() async throws {
    try await withEcho(limits: ServerLimits(connections: 4)) { actor, port in
      let answers = await withTaskGroup { group in
        for _ in 0..<40 {
          group.addTask {
            await rawExchange(
              port: port, "GET / HTTP/1.1\r\n\(host)Connection: close\r\n\r\n", closes: false)
          }
        }
        return await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(answers.count == 40)
      #expect(answers.allSatisfy { $0.hasSuffix("GET / <>\n") })
      _ = actor
    }
  }

  @Test func `any host is answered where the caller says so`() async throws {
    try await withEcho(hosts: .any) { actor, port in
      for name in ["luath.example", "10.0.0.1:80", "[fe80::1]:1234"] {
        let answer = await rawExchange(
          port: port, "GET / HTTP/1.1\r\nHost: \(name)\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200"))
      }
      let answer = await rawExchange(port: port, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 4"))
      _ = actor
    }
  }

  @Test(arguments: ["0.0.0.0", "127.0.0.1"]) func `it listens on the address it is given`(
    _ address: String
  ) async throws {
    try await withEcho(address: address) { actor, port in
      #expect(await rawExchange(port: port, "GET / HTTP/1.1\r\n\(host)\r\n").contains("GET / <>"))
      _ = actor
    }
  }

  @Test(
    .enabled(
      if: {
        let socket = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
          }
        }
      }(), "the machine has no IPv6"), arguments: ["::1", "::"])
  func `it listens on addresses of IPv6`(_ address: String) async throws {
    try await withEcho(address: address) { actor, port in
      // All addresses of the machine are those of IPv4 too.
      let answer = await rawExchange(port: port, "GET / HTTP/1.1\r\n\(host)\r\n")
      #expect(answer == (address == "::" ? answer : "no connection"))
      #expect(answer.contains("GET / <>") == (address == "::"))
      _ = actor
    }
  }

  @Test(arguments: [
    ("example", "example is not an address to listen on"),
    ("", " is not an address to listen on"),
    ("256.0.0.1", "256.0.0.1 is not an address to listen on"),
    ("192.0.2.1", "this machine has no address 192.0.2.1"),
  ])
  func `an address that cannot be had is named`(address: String, message: String) async throws {
    try await withLoop { loop in
      await LoopActor(loop).run { _ in
        let error = #expect(throws: HTTPError.self) {
          _ = try HTTPServer(loop: loop, address: address) { _ in .now(ServerResponse()) }
        }
        #expect(error?.message == message)
      }
    }
  }

  @Test func `headers are found by any spelling of their names`() async throws {
    try await withLoop { loop in
      try await LoopActor(loop).run { _ throws in
        let server = try HTTPServer(loop: loop) { request in
          var headers = request.headers
          headers.set("x-more", "set")
          let list = ["X-ONE", "x-empty", "x-two", "X-Missing", "X-More"].map { name in
            "\(name)=\(headers[name] ?? "none")/\(request.headers[name] ?? "none")"
          }
          let names = request.headers.fields.map { "\($0.name): \($0.value)" }
          return .now(
            ServerResponse(
              text: (list + names + ["\(request.headers.all("X-Two"))"]).joined(separator: "|")))
        }
        let answer = await rawExchange(
          port: server.port,
          "GET / HTTP/1.1\r\n\(host)x-One: 1\r\nX-Empty:\r\nX-Two: a\r\nX-TWO:  b \r\n"
            + "Connection: close\r\n\r\n")
        let text = answer.split(separator: "\r\n\r\n").last.map(String.init)
        #expect(
          text == "X-ONE=1/1|x-empty=/|x-two=a/a|X-Missing=none/none|X-More=set/none|"
            + "Host: localhost|x-One: 1|X-Empty: |X-Two: a|X-TWO: b|Connection: close|"
            + #"["a", "b"]"#)
      }
    }
  }
}
