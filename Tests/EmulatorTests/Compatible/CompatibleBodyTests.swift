@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// How bodies, queries and paths are read under the rules of Firebase's emulator.
@Suite(.timeLimit(.minutes(1))) struct CompatibleBodyTests {
  private static let signUp = "identitytoolkit.googleapis.com/v1/accounts:signUp"
  private static let projects = "identitytoolkit.googleapis.com/v1/projects"

  /// Signs up with a body as it is, from a page of another origin.
  private static func post(
    _ fixture: Fixture, _ body: [UInt8], headers: HTTPHeaders = [:],
    path: String = "\(signUp)?key=k"
  ) async throws -> (response: HTTPResponse, json: JSON) {
    var request = HTTPRequest(
      method: "POST", url: try #require(WebURL("\(fixture.origin)/\(path)")),
      headers: ["Content-Type": "application/json", "Origin": "http://app.localhost"], body: body)
    for field in headers.fields { request.headers.set(field.name, field.value) }
    let response = try await fixture.exchange(request)
    #expect(response.headers["Access-Control-Allow-Origin"] == "http://app.localhost")
    return (response, try response.json())
  }

  @Test(arguments: [
    ("latin1", 415), ("us-ascii", 415), ("utf8", 415), ("utf-9", 415), ("utf-16", 400),
    ("UTF-8", 200), ("\"utf-8\"", 200),
  ])
  func `a charset that the library does not decode is refused`(
    charset: String, status: Int
  ) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let (response, json) = try await Self.post(
        fixture, Array("{}".utf8),
        headers: ["Content-Type": "application/json; charset=\(charset)"])
      #expect(response.status == status)
      if status == 415 {
        #expect(json["message"] == .string("unsupported charset \"\(charset.uppercased())\""))
        #expect(json["charset"] == .string(charset))
        #expect(json["type"] == "charset.unsupported")
      }
      if status == 400 { #expect(json["error"]?["errors"]?[0]?["reason"] == "parseError") }
    }
  }

  @Test(arguments: ["utf-16", "utf-16le", "utf-16be"])
  func `text in UTF-16 is read`(charset: String) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      var body: [UInt8] = []
      for unit in "{\"email\":\"é@b.c\",\"password\":\"123456\"}".utf16 {
        let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        body += charset == "utf-16be" ? bytes.reversed() : bytes
      }
      let (_, json) = try await Self.post(
        fixture, body, headers: ["Content-Type": "application/json;charset=\(charset)"])
      #expect(json["email"] == "é@b.c")
    }
  }

  @Test(arguments: [
    ("br", 415, "encoding.unsupported"), ("x-gzip", 415, "encoding.unsupported"),
    ("gzip", 400, "Z_DATA_ERROR"), ("deflate", 400, "Z_DATA_ERROR"), ("identity", 200, ""),
  ])
  func `a coding that cannot be undone is refused in JSON`(
    coding: String, status: Int, name: String
  ) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let (response, json) = try await Self.post(
        fixture, Array("{}".utf8), headers: ["Content-Encoding": coding])
      #expect(response.status == status)
      if status == 415 {
        #expect(json["message"] == .string("unsupported content encoding \"\(coding)\""))
        #expect(json["encoding"] == .string(coding))
        #expect(json["type"]?.string == name)
      }
      if status == 400 {
        #expect(json["code"]?.string == name)
        #expect(json["status"] == 400)
      }
    }
  }

  @Test func `compressed data that end too early are refused`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      // The head of a gzip file and nothing else (RFC 1952 section 2.3).
      let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
      let (response, json) = try await Self.post(
        fixture, head, headers: ["Content-Encoding": "gzip"])
      #expect(response.status == 400)
      #expect(json["code"] == "Z_BUF_ERROR")
      // Before the body the path and the credentials count.
      let (missing, _) = try await Self.post(
        fixture, head, headers: ["Content-Encoding": "gzip"], path: Self.signUp)
      #expect(missing.status == 403)
    }
  }

  @Test func `under production's rules a broken coding is refused in Google's shape`() async throws
  {
    try await Fixture.run { fixture in
      for coding in ["br", "gzip"] {
        let (response, json) = try await Self.post(
          fixture, Array("{}".utf8), headers: ["Content-Encoding": coding])
        #expect(response.status == 400)
        #expect(json["error"]?["status"] == "INVALID_ARGUMENT")
        // No path takes the body for an empty one.
        let (other, _) = try await Self.post(
          fixture, Array("a=b".utf8), headers: ["Content-Encoding": coding],
          path: "oauth2.googleapis.com/token")
        #expect(other.status == 400)
      }
    }
  }

  @Test func `what JavaScript reads as JSON is read`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      func name(_ written: [UInt8]) async throws -> JSON? {
        let body = Array("{\"displayName\":".utf8) + written + Array("}".utf8)
        let (_, json) = try await Self.post(
          fixture, body, headers: ["Authorization": "Bearer owner"],
          path: "\(Self.projects)/demo-luath/accounts")
        return json["displayName"] ?? json["error"]?["message"]
      }
      #expect(try await name(Array("\"x\\ud800y\"".utf8)) == "x\u{FFFD}y")
      #expect(try await name(Array("\"\\ud800\\u0041\"".utf8)) == "\u{FFFD}A")
      #expect(try await name(Array("\"\\ud83d\\ude00\"".utf8)) == "😀")
      #expect(try await name([0x22, 0x78, 0xFF, 0x22]) == "x\u{FFFD}")
      #expect(try await name(Array("1e400".utf8)) == "Infinity")
      #expect(try await name(Array("-1e400".utf8)) == "-Infinity")
      let deep = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
      let (accepted, _) = try await Self.post(fixture, Array("{\"other\":\(deep)}".utf8))
      #expect(accepted.status == 200)
      let (broken, json) = try await Self.post(
        fixture, Array(String(repeating: "[", count: 100_000).utf8))
      #expect(broken.status == 400)
      #expect(json["error"]?["errors"]?[0]?["reason"] == "parseError")
    }
  }

  @Test func `an old import takes no more than 100 kB`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let padding = String(repeating: "x", count: 102_400)
      for name in ["uploadAccount", "downloadAccount"] {
        let (response, json) = try await Self.post(
          fixture, Array("{\"a\":\"\(padding)\"}".utf8),
          path: "www.googleapis.com/identitytoolkit/v3/relyingparty/\(name)")
        #expect(response.status == 413)
        #expect(
          json == [
            "message": "request entity too large", "expected": 102_408, "length": 102_408,
            "limit": 102_400, "type": "entity.too.large",
          ])
      }
      let (_, text) = try await Self.post(
        fixture, Array("{\"a\":\"\(padding)\"}".utf8), headers: ["Content-Type": "text/plain"],
        path: "www.googleapis.com/identitytoolkit/v3/relyingparty/uploadAccount")
      #expect(text["error"]?["message"] == "INSUFFICIENT_PERMISSION")
      let (response, _) = try await Self.post(
        fixture, Array("{\"a\":\"\(padding)\"}".utf8), headers: ["Authorization": "Bearer owner"],
        path: "\(Self.projects)/demo-luath/accounts:batchCreate")
      #expect(response.status == 400)
    }
  }

  @Test(arguments: [
    ("alt=yaml", "equal to one of the allowed values"), ("alt=json&alt=json", "string"),
    ("alt=", "equal to one of the allowed values"), ("prettyPrint=very", "boolean"),
    ("prettyPrint=", "boolean"), ("prettyPrint=true&prettyPrint=true", "boolean"),
    ("returnDynamicLink=maybe", "boolean"), ("clientId=a&clientId=b", "string"),
    ("returnDynamicLink=maybe&alt=yaml", "equal to one of the allowed values"),
    ("fields=a&fields=b", "string"),
    ("alt=json&prettyPrint=false&returnDynamicLink=true&unknown=1&unknown=2", nil),
  ])
  func `parameters of the query have types`(query: String, expected: String?) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let reply = try await fixture.request("GET", "\(Self.projects)?key=k&\(query)")
      #expect(
        reply.message == expected.map { "Invalid JSON payload received.  must be \($0)" } ?? "")
      #expect(reply.status == (expected == nil ? 200 : 400))
      // Credentials come first, bodies and what is lacking later.
      let unknown = try await fixture.request("GET", "\(Self.projects)?\(query)")
      #expect(unknown.status == 403)
      let body = try await fixture.request(
        "POST", "\(Self.signUp)?key=k&prettyPrint=very", ["email": false])
      #expect(body.message == "Invalid JSON payload received.  must be boolean")
      let lacking = try await fixture.request(
        "GET", "identitytoolkit.googleapis.com/v2/recaptchaConfig?key=k&version=2")
      #expect(
        lacking.message
          == "Invalid JSON payload received.  must be equal to one of the allowed values")
    }
  }

  @Test(arguments: [
    ("GET", "identitytoolkit.googleapis.com/v1/%", 400), ("POST", "nothing/%zz", 400),
    ("GET", "emulator/v1/projects/%C3/config", 400), ("GET", "nothing/%41", 404),
    ("GET", "emulator/v1/projects//accounts", 405),
    ("DELETE", "emulator/v1/projects//accounts", 200),
    ("GET", "emulator/v1/projects//oobCodes", 200),
    ("POST", "identitytoolkit.googleapis.com/v1/publicKeys", 404),
  ])
  func `an odd path is answered as Firebase's emulator answers it`(
    method: String, path: String, status: Int
  ) async throws {
    try await Fixture.run(rules: .compatible, isSingleProject: true) { fixture in
      _ = try await fixture.signUp("ada@odd.example")
      let reply = try await fixture.request(method, path)
      #expect(reply.status == status)
      if status == 400 { #expect(reply.json == ["statusCode": 400, "status": 400]) }
      // The project without a name is none of those that have one.
      let accounts = try await fixture.admin("accounts:query")
      #expect(accounts["recordsCount"] == "1")
    }
  }

  @Test func `a client that has the front page already is not sent it again`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      for path in ["", "emulator/openapi.json"] {
        for (headers, status) in [
          (["If-None-Match": "*"], 304), (["If-None-Match": "\"x\""], 200),
          (["If-None-Match": "*", "Cache-Control": "max-age=0, no-cache"], 200),
        ] as [(HTTPHeaders, Int)] {
          let response = try await fixture.exchange(
            HTTPRequest(
              url: try #require(WebURL("\(fixture.origin)/\(path)")), headers: headers))
          #expect(response.status == status)
          #expect(response.body.isEmpty == (status == 304))
        }
      }
    }
  }
}
