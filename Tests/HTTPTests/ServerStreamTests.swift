@testable import System
import Glibc
@testable import HTTP
import Testing

/// What a test keeps of a stream; only the loop's thread touches it.
private final class Opened: @unchecked Sendable {
  var stream: ServerStream?
}

/// A server that streams, and signals for when a stream has opened and has ended.
private func withStreams(
  limits: ServerLimits = ServerLimits(),
  _ body:
    @Sendable (
      _ actor: isolated LoopActor, _ server: HTTPServer, _ opened: Opened,
      _ openings: AsyncStream<Void>, _ endings: AsyncStream<Void>
    ) async throws -> Void
) async throws {
  try await withLoop { loop in
    let (openings, opening) = AsyncStream<Void>.makeStream()
    let (endings, ending) = AsyncStream<Void>.makeStream()
    let opened = Opened()
    try await LoopActor(loop).run { actor throws in
      let server = try HTTPServer(loop: loop, limits: limits) { request in
        guard request.url.path == "/events" else { return .now(ServerResponse(text: "plain")) }
        let head = ServerResponse(
          headers: ["Content-Type": "text/event-stream"], body: Array(": hello\n\n".utf8))
        return .stream(head) { stream in
          opened.stream = stream
          stream.onEnd { ending.yield() }
          opening.yield()
        }
      }
      try await body(actor, server, opened, openings, endings)
      opened.stream = nil
    }
  }
}

private let request = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"

@Suite("Streamed answers", .timeLimit(.minutes(1))) struct ServerStreamTests {
  @Test func `what is sent later arrives at once, and the end ends the answer`() async throws {
    try await withStreams { actor, server, opened, openings, endings in
      let port = server.port
      let (seen, see) = AsyncStream<String>.makeStream()
      async let whole = onThread { () -> String in
        guard let socket = RawSocket(port: port) else { return "no connection" }
        defer { socket.end() }
        socket.write(request)
        var text = socket.read(until: "hello\n\n")
        see.yield(text)
        for word in ["one", "two"] {
          text += socket.read(until: word)
          see.yield(text)
        }
        text += socket.read(until: "0\r\n\r\n")
        // The connection is good for more.
        socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return text + socket.read()
      }
      for await _ in openings { break }
      var arrivals = seen.makeAsyncIterator()
      let head = try #require(await arrivals.next())
      #expect(head.hasPrefix("HTTP/1.1 200"))
      #expect(head.contains("text/event-stream"))
      #expect(head.contains("Transfer-Encoding: chunked"))
      let stream = try #require(opened.stream)
      #expect(stream.isOpen)
      stream.send("data: one\n\n")
      #expect(await arrivals.next()?.contains("data: one") == true)
      stream.send("data: two\n\n")
      #expect(await arrivals.next()?.contains("data: two") == true)
      stream.send("data: three\n\n")
      stream.close()
      stream.send("data: never\n\n")
      for await _ in endings { break }
      #expect(!stream.isOpen)
      let text = await whole
      #expect(text.contains("data: three"))
      #expect(!text.contains("never"))
      #expect(text.hasSuffix("plain"))
      _ = actor
    }
  }

  @Test(arguments: [true, false])
  func `a client that leaves is noticed although nothing is sent`(closesHalf: Bool) async throws {
    try await withStreams { actor, server, opened, openings, endings in
      let port = server.port
      let descriptors = openDescriptors()
      let socket = await onThread { () -> RawSocket? in
        let socket = RawSocket(port: port)
        socket?.write(request)
        _ = socket?.read(until: "hello\n\n")
        return socket
      }
      for await _ in openings { break }
      #expect(opened.stream?.isOpen == true)
      if closesHalf { socket?.shutdownWriting() } else { socket?.end() }
      for await _ in endings { break }
      #expect(opened.stream?.isOpen == false)
      opened.stream?.send("to nobody")
      if closesHalf {
        let rest = await onThread { socket?.read() }
        #expect(rest == "")
        socket?.end()
      }
      let answer = try await HTTPClient(loop: actor.loop).send(
        HTTPRequest(url: #require(WebURL("http://127.0.0.1:\(port)/"))))
      #expect(answer.status == 200)
      #expect(openDescriptors() <= descriptors + 8)
    }
  }

  @Test func `a client that does not read is cut off at the limit`() async throws {
    try await withStreams(limits: ServerLimits(streamBytes: 64 << 10)) {
      actor, server, opened, openings, endings in
      let port = server.port
      let socket = await onThread { () -> RawSocket? in
        let socket = RawSocket(port: port)
        socket?.write(request)
        return socket
      }
      for await _ in openings { break }
      let stream = try #require(opened.stream)
      let piece = [UInt8](repeating: 0x61, count: 16 << 10)
      var count = 0
      while stream.isOpen {
        stream.send(piece)
        count += 1
        // Lets the loop send what the kernel takes.
        await Task.yield()
        try #require(count < 100_000, "the stream takes everything")
      }
      for await _ in endings { break }
      socket?.end()
      _ = actor
    }
  }

  @Test func `a single piece above the limit cuts the client off`() async throws {
    try await withStreams(limits: ServerLimits(streamBytes: 1000)) {
      actor, server, opened, openings, endings in
      let port = server.port
      async let text = rawExchange(port: port, request, closes: false)
      for await _ in openings { break }
      opened.stream?.send([UInt8](repeating: 0x61, count: 1001))
      for await _ in endings { break }
      #expect(await !text.contains("aaa"))
      _ = actor
    }
  }

  @Test func `stopping the server ends its streams properly`() async throws {
    try await withStreams { actor, server, opened, openings, endings in
      let port = server.port
      async let text = rawExchange(port: port, request, closes: false)
      for await _ in openings { break }
      opened.stream?.send("data: last\n\n")
      server.stop()
      for await _ in endings { break }
      #expect(await text.hasSuffix("data: last\n\n\r\n0\r\n\r\n"))
      // Too late for a callback to be part of the end: it comes by itself.
      let (calls, call) = AsyncStream<Void>.makeStream()
      opened.stream?.onEnd { call.yield() }
      for await _ in calls { break }
      _ = actor
    }
  }

  @Test func `a client of HTTP 1.0 gets the stream without chunks`() async throws {
    try await withStreams { actor, server, opened, openings, endings in
      let port = server.port
      async let text = rawExchange(
        port: port, "GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n", closes: false)
      for await _ in openings { break }
      opened.stream?.send("data: one\n\n")
      opened.stream?.close()
      for await _ in endings { break }
      #expect(await text.hasSuffix("\r\n\r\n: hello\n\ndata: one\n\n"))
      _ = actor
    }
  }

  @Test func `a HEAD of a stream gets its headers and ends it`() async throws {
    try await withStreams { actor, server, _, openings, endings in
      let port = server.port
      async let text = rawExchange(
        port: port, "HEAD /events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        closes: false)
      for await _ in openings { break }
      for await _ in endings { break }
      #expect(await text.hasSuffix("\r\n\r\n"))
      _ = actor
    }
  }

  @Test func `many streams share what is sent`() async throws {
    try await withLoop { loop in
      let (openings, opening) = AsyncStream<Void>.makeStream()
      final class All: @unchecked Sendable { var streams: [ServerStream] = [] }
      let all = All()
      try await LoopActor(loop).run { _ throws in
        let server = try HTTPServer(loop: loop) { _ in
          .stream(ServerResponse()) { stream in
            all.streams.append(stream)
            opening.yield()
          }
        }
        let port = server.port
        let texts = await withTaskGroup { group in
          for _ in 0..<100 {
            group.addTask { await rawExchange(port: port, request, closes: false) }
          }
          var count = 0
          for await _ in openings {
            count += 1
            if count == 100 { break }
          }
          for number in 0..<50 { for stream in all.streams { stream.send("<\(number)>") } }
          server.stop()
          return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(texts.count == 100)
        for text in texts { for number in 0..<50 { #expect(text.contains("<\(number)>")) } }
        all.streams = []
      }
    }
  }
}
