@testable import System
import Glibc
@testable import HTTP
import Testing

/// Python's zlib is the other implementation; it writes what each case names, in base 64.
private func compressed(_ python: String) throws -> [UInt8] {
  let script = """
    import base64, gzip, zlib
    print(base64.b64encode(\(python)).decode(), end='')
    """
  var descriptors: [Int32] = [0, 0]
  #expect(pipe(&descriptors) == 0)
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, descriptors[1], 1)
  posix_spawn_file_actions_addclose(&actions, descriptors[0])
  let words: [String] = ["python3", "-c", script]
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
  arguments.append(nil)
  defer { for argument in arguments { free(argument) } }
  var process = pid_t()
  #expect(posix_spawnp(&process, "python3", &actions, nil, arguments, environ) == 0)
  close(descriptors[1])
  let output = RawSocket.readAll(descriptors[0])
  close(descriptors[0])
  var status: Int32 = 0
  waitpid(process, &status, 0)
  return try #require(Base64.decode(output))
}

extension RawSocket {
  /// Everything a pipe gives until its end.
  fileprivate static func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}

/// Sends a body to a server that answers with the body it understood.
private func exchange(
  _ body: [UInt8], coding: String, limit: Int = 1 << 20
) async throws -> HTTPResponse {
  try await withLoop { loop in
    try await LoopActor(loop).run { _ throws in
      let server = try HTTPServer(loop: loop, limits: ServerLimits(bodyBytes: limit)) {
        .now(ServerResponse(body: $0.body))
      }
      let url = try #require(WebURL("http://127.0.0.1:\(server.port)/"))
      var request = HTTPRequest(method: "POST", url: url, body: body)
      request.headers.set("Content-Encoding", coding)
      let response = try await HTTPClient(loop: loop).send(request)
      // After a refusal the server goes on.
      let next = try await HTTPClient(loop: loop).send(HTTPRequest(url: url))
      #expect(next.status == 200)
      return response
    }
  }
}

@Suite("Compressed bodies", .timeLimit(.minutes(1))) struct ServerBodyTests {
  @Test(arguments: [
    ("gzip", "gzip.compress(b'hello')"), ("GZIP", "gzip.compress(b'hello')"),
    ("gzip \t", "gzip.compress(b'hello')"), ("x-gzip", "gzip.compress(b'hello')"),
    ("deflate", "zlib.compress(b'hello')"),
    ("gzip", "gzip.compress(b'hel') + gzip.compress(b'lo')"), ("identity", "b'hello'"),
  ])
  func `a compressed body arrives inflated`(coding: String, python: String) async throws {
    let response = try await exchange(try compressed(python), coding: coding)
    #expect(response.status == 200)
    #expect(response.text == "hello")
  }

  @Test func `a large body comes through whole`() async throws {
    let body = try compressed("gzip.compress(bytes(i * i % 251 for i in range(3000000)))")
    let response = try await exchange(body, coding: "gzip", limit: 3_000_000)
    #expect(response.body == (0..<3_000_000).map { UInt8($0 * $0 % 251) })
  }

  @Test func `an empty body needs no compression`() async throws {
    #expect(try await exchange([], coding: "gzip").status == 200)
  }

  @Test(arguments: [
    "gzip.compress(b'hello')[:-1]", "gzip.compress(b'hello') + b'x'", "b'hello'",
    "gzip.compress(b'hello')[:12] + b'xxxxxxxxxxxx'", "b'\\x1f'",
    "gzip.compress(b'hello') + gzip.compress(b'hello')[:15]",
  ])
  func `a body that is not what its coding says is refused`(python: String) async throws {
    #expect(try await exchange(try compressed(python), coding: "gzip").status == 400)
  }

  @Test func `the limit holds for the inflated body`() async throws {
    let bomb = try compressed("gzip.compress(bytes(1001))")
    #expect(try await exchange(bomb, coding: "gzip", limit: 1001).status == 200)
    #expect(try await exchange(bomb, coding: "gzip", limit: 1000).status == 413)
    // Nested a thousandfold, this would fill the memory.
    let large = try compressed("gzip.compress(bytes(64 << 20))")
    #expect(try await exchange(large, coding: "gzip", limit: 1 << 20).status == 413)
  }

  @Test(arguments: ["br", "zstd", "gzip, gzip", "nonsense"])
  func `an unknown coding is refused`(coding: String) async throws {
    #expect(try await exchange(Array("hello".utf8), coding: coding).status == 415)
  }

  @Test func `a handler that wants them gets requests whose body cannot be read`() async throws {
    let gzip = try compressed("gzip.compress(b'hello')")
    let cases: [(body: [UInt8], coding: String, fault: BodyFault?)] = [
      (Array("hello".utf8), "br", .unknownCoding), (Array("hello".utf8), "gzip", .malformed),
      (gzip + Array("more".utf8), "gzip", .malformed), (gzip.dropLast(), "gzip", .truncated),
      (gzip, "gzip", nil), ([], "br", nil),
    ]
    for (body, coding, fault) in cases {
      try await withLoop { loop in
        try await LoopActor(loop).run { _ throws in
          let server = try HTTPServer(loop: loop, passesBodyFaults: true) { request in
            .now(
              ServerResponse(
                text: "\(request.bodyFault.map { "\($0)" } ?? "none") \(request.body.count)"))
          }
          let url = try #require(WebURL("http://127.0.0.1:\(server.port)/"))
          let response = try await HTTPClient(loop: loop).send(
            HTTPRequest(
              method: "POST", url: url, headers: ["Content-Encoding": coding], body: body))
          let count = fault == nil && !body.isEmpty ? 5 : 0
          #expect(response.text == "\(fault.map { "\($0)" } ?? "none") \(count)")
        }
      }
    }
  }
}
