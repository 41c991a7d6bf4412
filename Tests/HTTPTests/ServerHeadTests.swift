@testable import System
@testable import HTTP
import Synchronization
import Testing

/// Request heads that other servers could read differently, and clients that take their time.
@Suite("What the server does not wait for", .timeLimit(.minutes(1))) struct ServerHeadTests {
  private func withServer(
    _ limits: ServerLimits = ServerLimits(),
    _ body: @Sendable (UInt16) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      let port = try await LoopActor(loop).run { _ throws in
        try HTTPServer(loop: loop, limits: limits) {
          .now(ServerResponse(text: "<\($0.url.query ?? "") \($0.body.count)>"))
        }.port
      }
      try await body(port)
    }
  }

  private static let host = "Host: localhost\r\n"

  @Test(arguments: [
    "\(host)Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "\(host)Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "\(host)Transfer-Encoding: gzip\r\n\r\n{}", "\(host)Transfer-Encoding: chunked, gzip\r\n\r\n",
    "\(host)Content-Length : 2\r\n\r\n{}", "\(host)A b: c\r\n\r\n", "\(host)A\u{0}: c\r\n\r\n",
    "\(host)A: b\u{0}c\r\n\r\n", "\(host)A: b\rC: d\r\n\r\n", "\(host)A: b\nC: d\r\n\r\n",
    "\(host)A: b\n\r\n", "\(host)A: b\r\n\n", "\(host)A: b\r\n c\r\n\r\n",
    "\(host)Host: localhost\r\n\r\n",
    "Host: localhost\n\n", "A: b\r\n\r\n",
  ])
  func `a head that is open to doubt is refused, once, and the connection closed`(
    _ lines: String
  ) async throws {
    try await withServer { port in
      // The second request would be answered as well if anything of it were read.
      let next = "GET /next HTTP/1.1\r\n\(Self.host)\r\n"
      let answer = await rawExchange(
        port: port, "POST /a HTTP/1.1\r\n\(lines)\(next)", closes: false)
      #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
      #expect(answer.split(separator: "HTTP/1.1 ").count == 1, "\(answer)")
    }
  }

  @Test(arguments: ["GET /a HTTP/1.1\n", "GET /a\u{0}b HTTP/1.1\r\n", "GET  /a HTTP/1.1\r\n"])
  func `a request line that is open to doubt is refused`(_ line: String) async throws {
    try await withServer { port in
      let answer = await rawExchange(port: port, "\(line)\(Self.host)\r\n", closes: false)
      #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
    }
  }

  @Test(arguments: [1, 1000, 9000])
  func `a query of many parameters is answered`(_ count: Int) async throws {
    try await withServer { port in
      let query = String(repeating: "a&", count: count) + "?b=c"
      let answer = await rawExchange(
        port: port, "GET /?\(query) HTTP/1.1\r\n\(Self.host)Connection: close\r\n\r\n")
      #expect(answer.hasSuffix("<\(query) 0>") == true, "\(answer.prefix(200))")
    }
  }

  @Test func `a head that comes byte by byte is read, and so are long ones`() async throws {
    try await withServer { port in
      let long = (0..<150).map { "Header-\($0): \(String(repeating: "v", count: 40))  \r\n" }
      for lines in ["A:b\r\nC:\t d \t\r\nEmpty:\r\nCookie: a=b; c=d\r\n", long.joined()] {
        let answer = await onThread {
          guard let socket = RawSocket(port: port) else { return "no connection" }
          defer { socket.end() }
          let head = "\r\nPOST /a?q HTTP/1.1\r\n\(Self.host)\(lines)Content-Length: 2\r\n\r\n{}"
          if lines.utf8.count < 100 {
            for byte in head { socket.write(String(byte)) }
          } else {
            socket.write(head)
          }
          return socket.read(until: ">")
        }
        #expect(answer.hasSuffix("<q 2>"), "\(answer)")
      }
    }
  }

  @Test(arguments: [
    // Longer than the buffer of libmicrohttpd, which turned in circles for as long as it lived.
    "2;\(String(repeating: "a", count: 200_000))\r\n{}\r\n0\r\n\r\n"
  ])
  func `a chunk extension without an end ends the connection`(_ chunks: String) async throws {
    try await withServer { port in
      let answer = await rawExchange(
        port: port, "POST /a HTTP/1.1\r\n\(Self.host)Transfer-Encoding: chunked\r\n\r\n\(chunks)",
        closes: false)
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
    }
  }

  /// The answer of a server whose patience with one request is short.
  private func answer(to text: String, within limit: Duration) async throws -> String {
    let limits = ServerLimits(idleTimeout: .seconds(1), headTimeout: limit, bodyTimeout: limit)
    let answer = Mutex("")
    try await withServer(limits) { port in
      let text = await rawExchange(port: port, text, closes: false)
      answer.withLock { $0 = text }
    }
    return answer.withLock { $0 }
  }

  @Test(arguments: [
    "", "GET / HTTP/1.1\r\nHost: local",
    "POST / HTTP/1.1\r\n\(host)Content-Length: 5\r\n\r\n{}",
  ])
  func `a request that does not end is ended`(_ text: String) async throws {
    let isTold = try await withSomeLimit { limit in
      try await answer(to: text, within: limit).hasPrefix("HTTP/1.1 408 ")
    }
    #expect(isTold)
  }

  @Test func `a request that does not end is ended after the answer to the one before`()
    async throws
  {
    let text = "GET / HTTP/1.1\r\n\(Self.host)\r\nGET / HTTP/1.1\r\nHo"
    let isAnswered = try await withSomeLimit { limit in
      try await answer(to: text, within: limit).hasPrefix("HTTP/1.1 200 ")
    }
    #expect(isAnswered)
  }

  @Test func `slow connections make room for others`() async throws {
    try await withServer(ServerLimits(connections: 8)) { port in
      let answers = await onThread {
        let slow = (0..<40).compactMap { _ in RawSocket(port: port) }
        for socket in slow { socket.write("GET / HTTP/1.1\r\nHost: ") }
        let answers = (0..<20).map { _ in
          guard let socket = RawSocket(port: port) else { return "no connection" }
          defer { socket.end() }
          socket.write("GET /?a HTTP/1.1\r\n\(Self.host)\r\n")
          return socket.read(until: ">")
        }
        for socket in slow { socket.end() }
        return answers
      }
      #expect(answers.allSatisfy { $0.hasSuffix("<a 0>") }, "\(answers)")
    }
  }

  @Test func `half a thousand half-sent heads do not keep the server busy`() async throws {
    let limits = ServerLimits(connections: 128)
    try await withLoop { loop in
      let port = try await LoopActor(loop).run { _ throws in
        try HTTPServer(loop: loop, limits: limits) { _ in .now(ServerResponse(text: "<>")) }.port
      }
      let answer = await onThread {
        let slow = (0..<500).compactMap { _ in RawSocket(port: port) }
        for socket in slow { socket.write("GET / HTTP/1.1\r\nHost: ") }
        defer { for socket in slow { socket.end() } }
        guard let socket = RawSocket(port: port) else { return "no connection" }
        defer { socket.end() }
        socket.write("GET / HTTP/1.1\r\n\(Self.host)\r\n")
        return socket.read(until: ">")
      }
      #expect(answer.hasSuffix("<>"), "\(answer)")
      // Each search looks at every connection: not one for each connection that arrives.
      let searches = await LoopActor(loop).run { _ in loop.servers.first?.connections.searches }
      #expect(try #require(searches) < 100)
    }
  }

  @Test func `each body has a limit, and all together have one`() async throws {
    let limits = ServerLimits(bodyBytes: 200, totalBodyBytes: 150)
    try await withServer(limits) { port in
      func post(_ count: Int) async -> Substring {
        let body = String(repeating: "b", count: count)
        let answer = await rawExchange(
          port: port,
          "POST / HTTP/1.1\r\n\(Self.host)Connection: close\r\nContent-Length: \(count)\r\n\r\n\(body)"
        )
        return answer.dropFirst(9).prefix(3)
      }
      #expect(await post(201) == "413")
      for _ in 1...5 { #expect(await post(100) == "200") }
      #expect(await post(120) == "200")
      #expect(await post(160) == "503")
      #expect(await post(100) == "200")
    }
  }
}
