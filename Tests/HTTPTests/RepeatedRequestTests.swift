@testable import HTTP
import Synchronization
import Testing

/// What becomes of a request whose kept connection ends before the answer begins.
@Suite(.timeLimit(.minutes(1))) struct RepeatedRequestTests {
  /// Answers the first request of all; later ones on the same connection are read and never answered.
  private final class Forgetful: Sendable {
    let requests = Atomic(0)

    func serve() -> MisbehavingServer {
      MisbehavingServer { [self] socket in
        var isFirst = true
        while case let head = socket.read(until: "\r\n\r\n"), !head.isEmpty {
          requests.add(1, ordering: .relaxed)
          guard isFirst else { return }
          isFirst = false
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
      }
    }
  }

  private func second(
    _ method: String, body: String = ""
  ) async throws -> (Result<Int, HTTPError>, requests: Int, connections: Int) {
    let forgetful = Forgetful()
    let server = forgetful.serve()
    let url = try server.url
    let result = try await withLoop { loop in
      try await LoopActor(loop).run { _ throws in
        let client = HTTPClient(loop: loop)
        _ = try await client.send(HTTPRequest(url: url))
        do throws(HTTPError) {
          let request = HTTPRequest(method: method, url: url, body: Array(body.utf8))
          return Result<Int, HTTPError>.success(try await client.send(request).status)
        } catch {
          return .failure(error)
        }
      }
    }
    return (result, forgetful.requests.load(ordering: .relaxed), server.connections)
  }

  @Test(arguments: ["GET", "DELETE", "PUT"])
  func `what may be done twice is sent again on a new connection`(_ method: String) async throws {
    let (result, requests, connections) = try await second(method)
    #expect(try result.get() == 200)
    #expect(requests == 3)
    #expect(connections == 2)
  }

  @Test(arguments: [("POST", "{}"), ("POST", ""), ("PATCH", "{}"), ("SPEND", "")])
  func `what may not be done twice reaches the server once`(
    _ method: String, _ body: String
  ) async throws {
    let (result, requests, _) = try await second(method, body: body)
    #expect(requests == 2)
    guard case .failure(let error) = result else {
      Issue.record("\(method) was answered by a server that answers nothing")
      return
    }
    #expect(error.code == .broken)
    #expect(error.message.contains("closed the connection before its response"))
    #expect(error.hint.contains("find out before you send the request again"))
  }

  @Test func `a client goes on after a request that was not sent again`() async throws {
    let server = MisbehavingServer { socket in
      while case let head = socket.read(until: "\r\n\r\n"), !head.isEmpty {
        guard head.hasPrefix("GET") else { return }
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let url = try server.url
    try await withLoop { loop in
      try await LoopActor(loop).run { _ throws in
        let client = HTTPClient(loop: loop)
        for _ in 0..<3 {
          #expect(try await client.send(HTTPRequest(url: url)).status == 200)
          await #expect(throws: HTTPError.self) {
            _ = try await client.send(HTTPRequest(method: "POST", url: url, body: [0x7B]))
          }
        }
      }
    }
  }

  @Test func `a pause of a client ends early when its task is cancelled`() async throws {
    try await withLoop { loop in
      let task = Task {
        await LoopActor(loop).run { _ in
          do throws(HTTPError) {
            try await HTTPClient(loop: loop).pause(for: .seconds(3600))
            return nil
          } catch {
            return error.code
          }
        } as HTTPError.Code?
      }
      task.cancel()
      #expect(await task.value == .cancelled)
    }
  }
}

@Suite struct RetryAfterTests {
  @Test(
    arguments: [
      ("0", 0), ("120", 120), ("99999999999999999999", 31_536_000),
      ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
    ] as [(String, Int64)])
  func `seconds and dates are understood`(_ text: String, _ seconds: Int64) {
    let headers: HTTPHeaders = ["Retry-After": text]
    #expect(headers.retryAfter(now: 784_111_777) == .seconds(seconds))
  }

  @Test func `a date counts from the answer's own date, whatever the clock here says`() {
    let headers: HTTPHeaders = [
      "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": "Sun, 06 Nov 1994 08:49:42 GMT",
    ]
    #expect(headers.retryAfter(now: 0) == .seconds(5))
    #expect(headers.retryAfter(now: 2_000_000_000) == .seconds(5))
  }

  @Test(arguments: ["", "soon", "-1", "1.5"])
  func `what is neither asks for nothing`(_ text: String) {
    #expect(HTTPHeaders([("Retry-After", text)]).retryAfter(now: 0) == nil)
    #expect(HTTPHeaders().retryAfter(now: 0) == nil)
  }

  @Test func `dates are read in all three old formats`() {
    let seconds: Int64 = 784_111_777
    #expect(HTTPDate.seconds(parsing: "Sun, 06 Nov 1994 08:49:37 GMT") == seconds)
    #expect(HTTPDate.seconds(parsing: "Sunday, 06-Nov-94 08:49:37 GMT") == seconds)
    #expect(HTTPDate.seconds(parsing: "Sun Nov  6 08:49:37 1994") == seconds)
    #expect(HTTPDate.seconds(parsing: "tomorrow") == nil)
  }
}
