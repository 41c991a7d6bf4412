import Glibc
@testable import HTTP
import Testing

/// Each case runs in a process of its own, because the environment is the process's.
@Suite(.timeLimit(.minutes(1))) struct ProxyTests {
  @Test func `another host is reached through the proxy`() async {
    await #expect(processExitsWith: .success) {
      let proxy = MisbehavingServer { socket in
        let head = socket.read(until: "\r\n\r\n")
        let line = head.prefix { $0 != "\r\n" }
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: \(line.utf8.count)\r\n\r\n\(line)")
      }
      setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
      let url = try #require(WebURL("http://example.invalid/x"))
      let response = try await send(HTTPRequest(url: url))
      precondition(response.text == "GET http://example.invalid/x HTTP/1.1", response.text)
    }
  }

  @Test func `loopback hosts never go through the proxy`() async {
    await #expect(processExitsWith: .success) {
      let server = MisbehavingServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      for name in ["http_proxy", "https_proxy", "all_proxy"] {
        setenv(name, "http://127.0.0.1:9", 1)
      }
      for host in ["127.0.0.1", "localhost"] {
        let url = try #require(WebURL("http://\(host):\(server.port)/"))
        let text = try await send(HTTPRequest(url: url)).text
        precondition(text == "ok")
      }
    }
  }

  @Test func `the user's no_proxy counts, also after a loopback request`() async {
    await #expect(processExitsWith: .success) {
      let server = MisbehavingServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      setenv("http_proxy", "http://127.0.0.1:\(server.port)", 1)
      setenv("no_proxy", "direct.invalid", 1)
      let urls = try [
        "http://localhost:\(server.port)/", "http://a.invalid/", "http://direct.invalid/",
      ]
      .map { try #require(WebURL($0)) }
      try await withLoop { loop in
        try await LoopActor(loop).run { _ throws in
          let client = HTTPClient(loop: loop)
          for url in urls[..<2] {
            let text = try await client.send(HTTPRequest(url: url)).text
            precondition(text == "ok")
          }
          do throws(HTTPError) {
            _ = try await client.send(HTTPRequest(url: urls[2]))
            preconditionFailure("a host of no_proxy went through the proxy")
          } catch { precondition(error.code == .resolve) }
        }
      }
    }
  }

  @Test func `a proxy that refuses is named`() async {
    await #expect(processExitsWith: .success) {
      let proxy = MisbehavingServer.answering("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
      setenv("https_proxy", "http://127.0.0.1:\(proxy.port)", 1)
      let url = try #require(WebURL("https://example.invalid/"))
      let error = try await failure(of: HTTPRequest(url: url))
      precondition(error.code == .connect && error.message.contains("status 403"), "\(error)")
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct TLSTests {
  @Test func `a server without TLS is told apart`() async throws {
    let server = MisbehavingServer { socket in
      socket.write("HTTP/1.1 400 Bad\r\n\r\n")
      socket.shutdownWriting()
      _ = socket.read()
    }
    let url = try #require(WebURL("https://127.0.0.1:\(server.port)/"))
    let error = try await failure(of: HTTPRequest(url: url))
    #expect(error.code == .tls)
    #expect(error.hint == "check that the server at the port uses https")
  }

  @Test(.enabled(if: access("/usr/bin/openssl", X_OK) == 0))
  func `an unknown certificate is refused and a named authority is trusted`() async throws {
    let server = try await TLSServer.start()
    defer { server.stop() }
    let url = try #require(WebURL("https://localhost:\(server.port)/"))
    let error = try await failure(of: HTTPRequest(url: url))
    #expect(error.code == .tls)
    #expect(error.message.hasPrefix("the certificate of localhost:\(server.port) is refused: "))
    #expect(error.message.contains("self-signed"))

    var options = ClientOptions()
    options.certificateFile = server.certificate
    #expect(try await send(HTTPRequest(url: url), options: options).status == 200)

    let wrongName = try #require(WebURL("https://127.0.0.1:\(server.port)/"))
    let mismatch = try await failure(of: HTTPRequest(url: wrongName), options: options)
    #expect(mismatch.code == .tls)

    options.certificateFile = "/nowhere/ca.pem"
    let unreadable = try await failure(of: HTTPRequest(url: url), options: options)
    #expect(unreadable.code == .tls)
    #expect(unreadable.message.contains("cannot be read"))
  }
}

/// `openssl s_server` with a self-signed certificate for localhost.
private struct TLSServer {
  let port: UInt16
  let certificate: String
  private let process: pid_t
  private let directory: String

  static func start() async throws -> TLSServer {
    try await onThread { Result { try startBlocking() } }.get()
  }

  func stop() {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    for name in ["cert.pem", "key.pem"] { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }

  private static func startBlocking() throws -> TLSServer {
    var template = Array("/tmp/luath-tls-XXXXXX".utf8CString)
    let directory = String(cString: try #require(mkdtemp(&template)))
    let certificate = "\(directory)/cert.pem"
    let key = "\(directory)/key.pem"
    let (maker, _) = try run([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
      "2",
      "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
      certificate,
    ])
    waitpid(maker, nil, 0)
    let (process, output) = try run([
      "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www",
    ])
    // It says "ACCEPT 127.0.0.1:40123" once it listens.
    var text = ""
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1 {
      if byte == 0x0A, text.hasPrefix("ACCEPT ") { break }
      text = byte == 0x0A ? "" : text + String(UnicodeScalar(byte))
    }
    let port = try #require(text.split(separator: ":").last.flatMap { UInt16($0) }, "\(text)")
    return TLSServer(port: port, certificate: certificate, process: process, directory: directory)
  }

  private static func run(_ arguments: [String]) throws -> (pid_t, output: Int32) {
    var pipes: [Int32] = [0, 0]
    pipe(&pipes)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var words: [UnsafeMutablePointer<CChar>?] = (["openssl"] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var process = pid_t()
    let status = posix_spawn(&process, "/usr/bin/openssl", &actions, nil, &words, environ)
    close(pipes[1])
    try #require(status == 0)
    return (process, pipes[0])
  }
}
