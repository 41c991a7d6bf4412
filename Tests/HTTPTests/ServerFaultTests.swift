@testable import System
import Glibc
@testable import HTTP
import Testing

/// A server on which each path asks for a fault, and its port.
private func withFaults(
  _ body: @Sendable (isolated LoopActor, _ port: UInt16) async throws -> Void
) async throws {
  try await withLoop { loop in
    try await LoopActor(loop).run { actor throws in
      let server = try HTTPServer(loop: loop) { request in
        var response = ServerResponse(
          headers: ["Content-Type": "text/plain"], body: [UInt8](repeating: 0x61, count: 100_000))
        let words = request.url.path.split(separator: "/")
        switch words.last {
        case "drop": response.delivery = .drop
        case "whole": response.delivery = .whole
        default: response.delivery = .cutAfter(bytes: words.last.flatMap { Int($0) } ?? 0)
        }
        let late = response
        return words.first == "late" ? .later { late } : .now(response)
      }
      try await body(actor, server.port)
    }
  }
}

private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }

@Suite("Faults at the server", .timeLimit(.minutes(1))) struct ServerFaultTests {
  @Test(arguments: ["/", "/late/"], [0, 1, 20_000, 99_999, -5])
  func `a cut answer promises the whole and ends early`(_ place: String, count: Int) async throws {
    try await withFaults { actor, port in
      let answer = await rawExchange(port: port, get("\(place)\(count)"), closes: false)
      let end = try #require(answer.firstRange(of: "\r\n\r\n"))
      #expect(answer[..<end.lowerBound].contains("Content-Length: 100000"))
      #expect(answer[end.upperBound...].utf8.count == max(count, 0))
      _ = actor
    }
  }

  @Test(arguments: [100_000, 200_000])
  func `a cut at or after the end cuts nothing`(count: Int) async throws {
    try await withFaults { actor, port in
      let url = try #require(WebURL("http://127.0.0.1:\(port)/\(count)"))
      let response = try await HTTPClient(loop: actor.loop).send(HTTPRequest(url: url))
      #expect(response.body.count == 100_000)
    }
  }

  @Test(arguments: ["/drop", "/late/drop"])
  func `a dropped answer closes the connection without a byte`(_ path: String) async throws {
    try await withFaults { actor, port in
      #expect(await rawExchange(port: port, get(path), closes: false) == "")
      let answer = await rawExchange(port: port, get("/whole") + get(path), closes: false)
      #expect(answer.hasPrefix("HTTP/1.1 200"))
      #expect(answer.hasSuffix("aaa"))
      _ = actor
    }
  }
}
