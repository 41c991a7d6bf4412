@testable import System
import Glibc
@testable import HTTP
import Testing

/// Sends one request from a loop of its own.
func send(
  _ request: HTTPRequest, options: ClientOptions = ClientOptions()
) async throws -> HTTPResponse {
  try await withLoop { loop in
    try await LoopActor(loop).run { _ throws in
      try await HTTPClient(loop: loop, options: options).send(request)
    }
  }
}

/// The failure of one request.
func failure(
  of request: HTTPRequest, options: ClientOptions = ClientOptions()
) async throws -> HTTPError {
  try #require(
    await #expect(throws: HTTPError.self) { _ = try await send(request, options: options) })
}

@Suite(.timeLimit(.minutes(1))) struct HTTPClientTests {
  @Test func `a refused connection names host and port`() async throws {
    let listener = MisbehavingServer.listen(1)
    close(listener.descriptor)
    let url = try #require(WebURL("http://127.0.0.1:\(listener.port)/x?token=secret"))
    let error = try await failure(of: HTTPRequest(url: url))
    #expect(error.code == .connect)
    #expect(error.message == "nothing accepts connections at 127.0.0.1:\(listener.port)")
    #expect(error.hint == "start the server there, or check host and port")
    #expect(!error.description.contains("secret"))
  }

  @Test func `a host without address is named`() async throws {
    let url = try #require(WebURL("http://no-such-host.invalid:81/"))
    let error = try await failure(of: HTTPRequest(url: url, timeout: .seconds(20)))
    #expect(error.code == .resolve)
    #expect(error.message == "the host name of no-such-host.invalid:81 has no address")
  }

  @Test func `an answer tells how long each phase took, and that a kept connection was used`()
    async throws
  {
    try await withLoop { loop in
      try await LoopActor(loop).run { _ throws in
        let client = HTTPClient(loop: loop)
        let server = try HTTPServer(loop: loop) { request in
          request.url.path == "/elsewhere"
            ? .now(ServerResponse(status: 302, headers: ["Location": "/"]))
            : .now(ServerResponse(status: 200, body: [0x61]))
        }
        let url = try #require(WebURL("http://127.0.0.1:\(server.port)/"))
        let first = try await client.send(HTTPRequest(url: url))
        let timings = try #require(first.timings)
        #expect(timings.blocked == nil)
        #expect(timings.tls == nil)
        #expect(timings.send >= 0 && timings.wait > timings.send)
        let known =
          (timings.nameLookup ?? -1) + (timings.connect ?? -1) + timings.send + timings.wait
        #expect(timings.connect != nil && timings.receive >= 0 && known > 0)
        // libcurl begins to count after us and ends before us.
        #expect(.microseconds(known + timings.receive) <= first.duration + .milliseconds(1))
        let second = try #require(try await client.send(HTTPRequest(url: url)).timings)
        #expect(second.blocked != nil && second.nameLookup == nil && second.connect == nil)
        let moved = HTTPRequest(
          url: try #require(url.resolving("/elsewhere")), maximumRedirects: 2)
        let both = try #require(try await client.send(moved).timings)
        #expect(both.send + both.wait > 0 && both.blocked != nil)
        server.stop()
      }
    }
  }

  @Test func `one client follows servers that come and go under the same descriptors`() async throws
  {
    try await withLoop { loop in
      try await LoopActor(loop).run { _ throws in
        let client = HTTPClient(loop: loop)
        for round in 0..<20 {
          let server = try HTTPServer(loop: loop) { request in
            .now(ServerResponse(status: 200, body: Array(request.url.path.utf8)))
          }
          for path in ["/\(round)/a", "/\(round)/b"] {
            let url = try #require(WebURL("http://127.0.0.1:\(server.port)\(path)"))
            #expect(try await client.send(HTTPRequest(url: url)).text == path)
          }
          server.stop()
        }
      }
    }
  }

  @Test func `a request without a task calls back once, with its answer or as cancelled`()
    async throws
  {
    try await withLoop { loop in
      try await LoopActor(loop).run { _ throws in
        let client = HTTPClient(loop: loop)
        let server = try HTTPServer(loop: loop) { request in
          request.url.path == "/now"
            ? .now(ServerResponse(status: 204))
            : .later {
              try? await loop.sleep(for: .seconds(3600))
              return ServerResponse(status: 200)
            }
        }
        defer { server.stop() }
        func result(
          _ path: String, _ then: (Sending) -> Void = { _ in }
        ) async throws -> Result<HTTPResponse, HTTPError> {
          let url = try #require(WebURL("http://127.0.0.1:\(server.port)\(path)"))
          return await withCheckedContinuation { continuation in
            then(client.begin(HTTPRequest(url: url)) { continuation.resume(returning: $0) })
          }
        }
        #expect(try await result("/now").get().status == 204)
        let cancelled = try await result("/later") { sending in
          sending.cancel()
          sending.cancel()
        }
        #expect(throws: HTTPError.self) { try cancelled.get() }
      }
    }
  }

  @Test func `a connection that nobody accepts runs into the connect timeout`() async throws {
    // The queue of a listener that never accepts takes one or two; later handshakes get no answer.
    let listener = MisbehavingServer.listen(0)
    defer { close(listener.descriptor) }
    let fillers = (0..<3).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
    defer { fillers.forEach { close($0) } }
    for filler in fillers {
      _ = fcntl(filler, F_SETFL, O_NONBLOCK)
      connectWithoutWaiting(filler, listener.port)
    }
    var options = ClientOptions()
    options.connectTimeout = .milliseconds(200)
    let url = try #require(WebURL("http://127.0.0.1:\(listener.port)/"))
    let error = try await failure(of: HTTPRequest(url: url), options: options)
    #expect(error.code == .timedOut)
    #expect(error.message == "no connection to 127.0.0.1:\(listener.port) within 200 ms")
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\n\r\nabc"])
  func `a stalled server runs into the timeout`(_ beginning: String) async throws {
    let server = MisbehavingServer { socket in
      _ = socket.read(until: "\r\n\r\n")
      socket.write(beginning)
      _ = socket.read()
    }
    let isNamed = try await withSomeLimit { limit in
      let error = try await failure(of: HTTPRequest(url: try server.url, timeout: limit))
      #expect(error.code == .timedOut)
      let shown =
        limit < .seconds(1)
        ? "\(Int(limit / .milliseconds(1))) ms" : "\(Int(limit / .seconds(1))) s"
      return error.message
        == "127.0.0.1:\(server.port) did not finish its response within \(shown)"
    }
    #expect(isNamed)
  }

  @Test func `an answer cut at any byte is an error, never a short body`() async throws {
    let whole =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\nhello, world"
    for count in 0..<whole.utf8.count {
      let server = MisbehavingServer.answering(
        String(decoding: whole.utf8.prefix(count), as: UTF8.self))
      let error = try await failure(of: HTTPRequest(url: try server.url))
      #expect(error.code == .broken, "cut after \(count) bytes")
    }
    let server = MisbehavingServer.answering(whole)
    #expect(try await send(HTTPRequest(url: server.url)).text == "hello, world")
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", HTTPError.Code.broken),
    ("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", .broken),
    ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n", .tooLarge),
    ("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n", .tooLarge),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", .broken),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n", .broken),
    ("SSH-2.0-OpenSSH_9.2\r\n", .broken), ("\u{0}\u{1}\u{2}\u{3}\r\n\r\n", .broken),
    ("HTTP/9.9 200 OK\r\n\r\n", .broken),
  ])
  func `a lying or foreign answer is an error`(_ text: String, code: HTTPError.Code) async throws {
    let server = MisbehavingServer.answering(text)
    var request = HTTPRequest(url: try server.url)
    request.maximumResponseBytes = 1_000_000
    let error = try await failure(of: request)
    #expect(error.code == code, "\(error)")
    #expect(error.message.contains("127.0.0.1:\(server.port)"))
    #expect(!error.hint.isEmpty)
  }

  @Test func `bytes after the announced length are not part of the body`() async throws {
    let server = MisbehavingServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabcdef")
    #expect(try await send(HTTPRequest(url: server.url)).text == "ab")
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
  ])
  func `an endless body ends at the limit`(_ head: String) async throws {
    let server = MisbehavingServer { socket in
      _ = socket.read(until: "\r\n\r\n")
      socket.write(head)
      let piece = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
      while socket.write(piece) {}
    }
    var request = HTTPRequest(url: try server.url)
    request.maximumResponseBytes = 100_000
    let error = try await failure(of: request)
    #expect(error.code == .tooLarge)
    #expect(
      error.message
        == "the body of the response of 127.0.0.1:\(server.port) is larger than 100000 bytes")
  }

  @Test(arguments: ["X-Line: 0123456789\r\n", "X"])
  func `endless headers end at the limit`(_ piece: String) async throws {
    let server = MisbehavingServer { socket in
      _ = socket.read(until: "\r\n\r\n")
      socket.write("HTTP/1.1 200 OK\r\n")
      let many = String(repeating: piece, count: 500)
      while socket.write(many) {}
    }
    let error = try await failure(of: HTTPRequest(url: try server.url))
    #expect(error.code == .tooLarge)
  }

  @Test func `a body of exactly the limit is taken`() async throws {
    let server = MisbehavingServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd")
    var request = HTTPRequest(url: try server.url)
    request.maximumResponseBytes = 4
    #expect(try await send(request).text == "abcd")
    request.maximumResponseBytes = 3
    #expect(try await failure(of: request).code == .tooLarge)
  }

  @Test func `provisional answers and trailers do not reach the headers`() async throws {
    let server = MisbehavingServer.answering(
      "HTTP/1.1 103 Early Hints\r\nLink: early\r\n\r\nHTTP/1.1 201 Created\r\nX-A:  1 \r\nx-a: 2\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Trailer: late\r\n\r\n")
    let response = try await send(HTTPRequest(url: server.url))
    #expect(response.status == 201)
    #expect(response.headers["Link"] == nil)
    #expect(response.headers["X-Trailer"] == nil)
    #expect(response.headers.all("X-A") == ["1", "2"])
    #expect(response.text == "hi")
  }

  @Test func `cancelling the task ends the transfer and closes the connection`() async throws {
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    let (closings, closing) = AsyncStream<Void>.makeStream()
    let server = MisbehavingServer { socket in
      _ = socket.read(until: "\r\n\r\n")
      arrival.yield()
      _ = socket.read()
      closing.yield()
    }
    let url = try server.url
    try await withLoop { loop in
      let task = Task { () -> HTTPError? in
        await LoopActor(loop).run { _ in
          do throws(HTTPError) {
            _ = try await HTTPClient(loop: loop).send(HTTPRequest(url: url))
            return nil
          } catch { return error }
        }
      }
      for await _ in arrivals { break }
      task.cancel()
      #expect(await task.value?.code == .cancelled)
      for await _ in closings { break }
    }
  }

  @Test func `a task that is cancelled already sends nothing`() async throws {
    let server = MisbehavingServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let url = try server.url
    try await withLoop { loop in
      let task = Task { () -> HTTPError.Code? in
        withUnsafeCurrentTask { $0?.cancel() }
        return await LoopActor(loop).run { _ in
          do throws(HTTPError) {
            _ = try await HTTPClient(loop: loop).send(HTTPRequest(url: url))
            return nil
          } catch { return error.code }
        }
      }
      #expect(await task.value == .cancelled)
      #expect(server.connections == 0)
    }
  }

  @Test func `stopping the loop ends transfers, and later ones fail at once`() async throws {
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    let server = MisbehavingServer { socket in
      _ = socket.read(until: "\r\n\r\n")
      arrival.yield()
      _ = socket.read()
    }
    let request = HTTPRequest(url: try server.url)
    let loop = try EventLoop()
    try loop.start()
    let send: @Sendable () async -> HTTPError? = {
      await LoopActor(loop).run { _ in
        do throws(HTTPError) {
          _ = try await HTTPClient(loop: loop).send(request)
          return nil
        } catch { return error }
      }
    }
    let task = Task { await send() }
    for await _ in arrivals { break }
    loop.stop()
    #expect(await task.value?.code == .cancelled)
    loop.join()
    let late = await send()
    #expect(late?.code == .cancelled)
    #expect(late?.message.contains("has stopped") == true)
  }

  @Test func `a client may be awaited from outside its loop`() async throws {
    let server = MisbehavingServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let url = try server.url
    try await withLoop { loop in
      let client = HTTPClient(loop: loop)
      let text = try await client.send(HTTPRequest(url: url)).text
      #expect(text == "ok")
    }
  }

  @Test func `connections are kept and a stale one is replaced`() async throws {
    let server = MisbehavingServer { socket in
      // Two answers per connection, then it is closed without a word.
      for _ in 0..<2 {
        guard !socket.read(until: "\r\n\r\n").isEmpty else { return }
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let url = try server.url
    try await withLoop { loop in
      try await LoopActor(loop).run { _ throws in
        let client = HTTPClient(loop: loop)
        for _ in 0..<6 { #expect(try await client.send(HTTPRequest(url: url)).text == "ok") }
      }
    }
    #expect(server.connections == 3)
  }

  @Test func `control characters in methods and headers are refused`() async throws {
    let server = MisbehavingServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let url = try server.url
    for request in [
      HTTPRequest(method: "GET /x HTTP/1.1\r\nX:", url: url), HTTPRequest(method: "", url: url),
      HTTPRequest(url: url, headers: ["X": "a\r\nY: b"]),
      HTTPRequest(url: url, headers: ["X\r\nY": "a"]),
      HTTPRequest(url: url, headers: ["X": "a\u{0}b"]), HTTPRequest(url: url, headers: ["": "a"]),
    ] {
      #expect(try await failure(of: request).code == .unsupported)
    }
    #expect(server.connections == 0)
  }

  @Test func `the request on the wire is what was asked for`() async throws {
    let (heads, head) = AsyncStream<String>.makeStream()
    let server = MisbehavingServer { socket in
      head.yield(socket.read(until: "body"))
      socket.write("HTTP/1.1 204 No Content\r\n\r\n")
    }
    let request = HTTPRequest(
      method: "POST", url: try server.url("/a/../b%20c?q#fragment"),
      headers: ["X-Empty": "", "Content-Length": "999", "x-a": "1"], body: Array("body".utf8))
    #expect(try await send(request).status == 204)
    for await text in heads {
      #expect(
        text == """
          POST /b%20c?q HTTP/1.1\r
          Host: 127.0.0.1:\(server.port)\r
          User-Agent: luath/\(Version.current)\r
          Accept: */*\r
          X-Empty:\r
          x-a: 1\r
          Content-Length: 4\r
          \r
          body
          """)
      break
    }
  }

  @Test func `the observer sees successes and failures`() async throws {
    let server = MisbehavingServer.answering("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
    let url = try server.url
    try await withLoop { loop in
      try await LoopActor(loop).run { _ throws in
        var seen: [String] = []
        let client = HTTPClient(loop: loop)
        client.onExchange = { request, result in
          switch result {
          case .success(let response): seen.append("\(request.method) \(response.status)")
          case .failure(let error): seen.append("\(request.method) \(error.code)")
          }
        }
        _ = try await client.send(HTTPRequest(url: url))
        _ = try? await client.send(HTTPRequest(method: "a b", url: url))
        #expect(seen == ["GET 404", "a b unsupported"])
      }
    }
  }

  @Test func `more transfers than may run at once all finish`() async throws {
    let server = MisbehavingServer.answering(
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
    let url = try server.url
    try await withLoop { loop in
      let count = await withTaskGroup { group in
        for number in 0..<600 {
          let task = Task {
            await LoopActor(loop).run { _ in
              (try? await HTTPClient(loop: loop).send(HTTPRequest(url: url)).text == "ok") == true
            }
          }
          if number % 3 == 0 { task.cancel() }
          group.addTask { await task.value ? 1 : 0 }
        }
        return await group.reduce(0, +)
      }
      #expect(count >= 400)
    }
  }
}

private func connectWithoutWaiting(_ descriptor: Int32, _ port: UInt16) {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  _ = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
