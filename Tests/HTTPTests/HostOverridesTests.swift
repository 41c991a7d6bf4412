import Glibc
@testable import HTTP
import Testing

/// Hosts that are reached at another address, and hosts that are never reached in the clear.
@Suite(.timeLimit(.minutes(1))) struct HostOverridesTests {
  /// Answers with the request's first line and Host header.
  private static func echo() -> MisbehavingServer {
    MisbehavingServer { socket in
      let lines = socket.read(until: "\r\n\r\n").split(separator: "\r\n")
      let host = lines.first { $0.hasPrefix("Host:") } ?? "no host"
      let text = "\(lines.first ?? ""), \(host)"
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }
  }

  @Test func `a host is reached at its place, under its own name`() async throws {
    let server = Self.echo()
    var options = ClientOptions()
    options.places = ["backend.invalid": "127.0.0.1:\(server.port)"]
    let url = try #require(WebURL("http://backend.invalid/x"))
    #expect(
      try await send(HTTPRequest(url: url), options: options).text
        == "GET /x HTTP/1.1, Host: backend.invalid")
  }

  @Test func `other hosts go where they always went`() async throws {
    let server = Self.echo()
    var options = ClientOptions()
    options.places = ["backend.invalid": "127.0.0.1:1"]
    #expect(try await send(HTTPRequest(url: server.url), options: options).status == 200)
    let other = try #require(WebURL("http://other.invalid/"))
    #expect(try await failure(of: HTTPRequest(url: other), options: options).code == .resolve)
  }

  @Test func `a place without anybody is told by the host's name`() async throws {
    var options = ClientOptions()
    options.places = ["backend.invalid": "127.0.0.1:1"]
    let url = try #require(WebURL("https://backend.invalid/"))
    let error = try await failure(of: HTTPRequest(url: url), options: options)
    #expect(error.code == .connect)
    #expect(error.message == "nothing accepts connections at backend.invalid:443")
  }

  @Test func `a host with a place needs no proxy`() async {
    await #expect(processExitsWith: .success) {
      let server = HostOverridesTests.echo()
      setenv("http_proxy", "http://127.0.0.1:9", 1)
      var options = ClientOptions()
      options.places = ["backend.invalid": "127.0.0.1:\(server.port)"]
      let url = try #require(WebURL("http://backend.invalid/"))
      let response = try await send(HTTPRequest(url: url), options: options)
      precondition(response.status == 200)
    }
  }

  @Test func `a secure host is not called without TLS, not even after a redirect`() async throws {
    let server = MisbehavingServer.answering(
      "HTTP/1.1 302 Found\r\nLocation: http://secure.invalid/\r\nContent-Length: 0\r\n\r\n")
    var options = ClientOptions()
    options.secureHosts = ["secure.invalid"]
    options.places = ["secure.invalid": "127.0.0.1:\(server.port)"]
    let url = try #require(WebURL("http://secure.invalid/"))
    let dotted = try #require(WebURL("http://secure.invalid./"))
    for request in [
      HTTPRequest(url: url), HTTPRequest(url: dotted),
      HTTPRequest(url: try server.url, maximumRedirects: 3),
    ] {
      let error = try await failure(of: request, options: options)
      #expect(error.code == .tls)
      #expect(error.hint == "write https:// instead of http://")
    }
    #expect(server.connections == 1)
  }
}
