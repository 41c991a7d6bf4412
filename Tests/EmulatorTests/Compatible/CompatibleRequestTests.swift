@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// How requests are read under the rules of Firebase's emulator, before any operation sees them.
@Suite(.timeLimit(.minutes(1))) struct CompatibleRequestTests {
  private static let signUp = "identitytoolkit.googleapis.com/v1/accounts:signUp"
  private static let owner: HTTPHeaders = ["Authorization": "Bearer owner"]

  @Test(arguments: [
    ("1.0", "1"), ("1e21", "1e+21"), ("1e-7", "1e-7"), ("0.000001", "0.000001"), ("-0", "0"),
    ("123456789012345678", "123456789012345680"), ("1e20", "100000000000000000000"),
    ("100.25", "100.25"), ("-2.5e-9", "-2.5e-9"), ("9007199254740993", "9007199254740992"),
  ])
  func `a number for a text is written as JavaScript writes it`(
    number: String, text: String
  ) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let body = try JSON.parse("{\"displayName\":\(number)}")
      let made = try await fixture.admin("accounts", body)
      #expect(made["displayName"]?.string == text)
    }
  }

  @Test func `an enumeration's position has one spelling`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let plain = try await fixture.call(.sendOobCode, ["requestType": "1"])
      #expect(plain.message == "MISSING_EMAIL")
      let padded = try await fixture.call(.sendOobCode, ["requestType": "01"])
      #expect(
        padded.message
          == "Invalid JSON payload received. /requestType must be equal to one of the allowed values"
      )
    }
  }

  @Test(arguments: [
    ("?key=a&key=b", "", 403), ("?key=a&key=b", "k", 200), ("?key=", "k", 200), ("", "", 403),
  ])
  func `a key in the header counts where the query has not exactly one`(
    query: String, header: String, status: Int
  ) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let reply = try await fixture.request(
        "POST", Self.signUp + query, [:], headers: ["X-Goog-Api-Key": header])
      #expect(reply.status == status)
    }
  }

  @Test func `a type that is not read is refused before anybody is asked who they are`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { fixture in
      for path in [
        "identitytoolkit.googleapis.com/v1/projects", "emulator/v1/projects/demo-luath/oobCodes",
      ] {
        let url = try #require(WebURL("\(fixture.origin)/\(path)"))
        let read = try await fixture.send(
          HTTPRequest(
            method: "GET", url: url, headers: ["Content-Type": "application/json"],
            body: Array("{}".utf8)))
        #expect(read.message == "Invalid content-type: application/json")
      }
      let url = try #require(WebURL("\(fixture.origin)/\(Self.signUp)"))
      let plain = try await fixture.send(
        HTTPRequest(
          method: "POST", url: url, headers: ["Content-Type": "text/plain; charset=utf-8"],
          body: Array("{}".utf8)))
      #expect(plain.status == 400)
      #expect(plain.message == "Invalid content-type: text/plain; charset=utf-8")
    }
  }

  @Test(
    arguments: [
      ("GET", "identitytoolkit.googleapis.com/v1/projects?key=k", "application/json"),
      ("GET", "identitytoolkit.googleapis.com/v1/recaptchaParams?key=k", "application/json"),
      ("GET", "emulator/v1/projects/demo-luath/oobCodes", "application/json"),
      ("GET", "emulator/v1/projects/demo-luath/config", "text/plain"),
      ("POST", "\(signUp)?key=k", "text/plain"),
    ], [Rules.compatible, .production])
  func `a type without a body is not looked at`(
    request: (method: String, path: String, type: String), rules: Rules
  ) async throws {
    try await Fixture.run(rules: rules) { fixture in
      let reply = try await fixture.request(
        request.method, request.path, headers: ["Content-Type": request.type])
      #expect(reply.status == 200, "\(reply.message)")
    }
  }

  @Test(arguments: [("", nil), ("http://a\tb", "http://a b"), ("null", "null")])
  func `an odd origin is no failure`(origin: String, allowed: String?) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      for method in ["GET", "OPTIONS"] {
        let url = try #require(WebURL("\(fixture.origin)/"))
        let response = try await fixture.exchange(
          HTTPRequest(method: method, url: url, headers: ["Origin": origin]))
        #expect(response.status == (method == "GET" ? 200 : 204))
        #expect(response.headers["Access-Control-Allow-Origin"] == allowed)
      }
    }
  }

  @Test func `a byte order mark is no part of a body`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let url = try #require(WebURL("\(fixture.origin)/\(Self.signUp)?key=k"))
      let reply = try await fixture.send(
        HTTPRequest(
          method: "POST", url: url, headers: ["Content-Type": "application/json"],
          body: [0xEF, 0xBB, 0xBF] + Array("{}".utf8)))
      #expect(reply.status == 200)
    }
  }

  @Test func `a refresh token that cannot be read is refused whatever is asked`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let path = "securetoken.googleapis.com/v1/token"
      let token = try await fixture.post(path, ["refreshToken": "x"])
      #expect(token.message == "INVALID_REFRESH_TOKEN")
      let other = try await fixture.call(.signUp, ["refreshToken": "x"])
      #expect(other.message == "INVALID_REFRESH_TOKEN")
      let project = try await fixture.post(path, ["targetProjectId": "other", "grantType": "x"])
      #expect(project.message == "INVALID_GRANT_TYPE")
      let url = try #require(WebURL("\(fixture.origin)/\(path)?key=k"))
      let form = FormFields([("grant_type", "a"), ("grant_type", "b")])
      let twice = try await fixture.send(.post(url, form: form))
      #expect(twice.message == "Invalid JSON payload received. /grantType must be string")
    }
  }

  @Test(arguments: [
    ("v1/projects//accounts:query", 200), ("v1/projects/example.com:app/accounts:query", 200),
    ("v1/projects/example.com:app:queryAccounts", 200), ("v1/projects/a/b/accounts:query", 404),
  ])
  func `a project's id may be empty or hold a colon`(path: String, status: Int) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let reply = try await fixture.asAdmin("POST", path, [:])
      #expect(reply.status == status)
    }
  }

  @Test func `an empty project is nobody's under production's rules`() async throws {
    try await Fixture.run { fixture in
      let reply = try await fixture.asAdmin("POST", "v1/projects//accounts:query", [:])
      #expect(reply.status == 404)
    }
  }

  @Test(arguments: [
    ("HEAD", "", 200), ("POST", "", 404), ("HEAD", "emulator/action", 400),
    ("HEAD", "emulator/openapi.json", 200), ("POST", "emulator/auth/handler", 404),
    ("GET", "Emulator/Action/", 400), ("HEAD", "identitytoolkit.googleapis.com/v1/projects", 405),
  ])
  func `a page is there for GET and HEAD, in any capitals`(
    method: String, path: String, status: Int
  ) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let url = try #require(WebURL("\(fixture.origin)/\(path)"))
      let response = try await fixture.exchange(HTTPRequest(method: method, url: url))
      #expect(response.status == status)
    }
  }

  @Test func `the third version's paths are read without regard to capitals`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let prefix = "www.googleapis.com/identitytoolkit/v3/relyingparty"
      let made = try await fixture.post("\(prefix)/SignupNewUser/", [:])
      #expect(made.status == 200)
      let wrong = try await fixture.request("GET", "\(prefix)/signupNewUser?key=k")
      #expect(
        wrong["message"]?.string
          == "Method GET not allowed for /identitytoolkit.googleapis.com/v1/accounts:signUp")
      let page = try await fixture.post(
        "\(prefix)/downloadAccount", ["target_project_id": "demo-luath", "max_results": 1],
        key: nil, headers: Self.owner)
      #expect(page["users"]?.array?.count == 1)
      #expect(page["nextPageToken"]?.string?.isEmpty == false)
    }
  }

  @Test func `every preflight varies by the headers asked for`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let url = try #require(WebURL("\(fixture.origin)/anything"))
      let response = try await fixture.exchange(HTTPRequest(method: "OPTIONS", url: url))
      #expect(response.status == 204)
      #expect(response.headers["Vary"] == "Origin, Access-Control-Request-Headers")
    }
  }

  @Test(arguments: [
    ("http://user:pw@host/", true), ("https:example.com", true), ("https://münchen.de/", true),
    ("http://[::1]/", true), ("foo:bar", true), ("localhost:9", true), ("ws://x", true),
    ("http://", false), ("http://a b/", false), ("//x", false), ("http://x:99999/", false),
    ("http://user@", false), ("http://a<b/", false),
  ])
  func `an absolute address is what a browser reads without a base`(
    address: String, isOne: Bool
  ) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let reply = try await fixture.call(
        .createAuthUri, ["identifier": "a@b", "continueUri": .string(address)])
      #expect(reply.error == (isOne ? nil : "INVALID_CONTINUE_URI"))
      let link = try await fixture.call(
        .sendOobCode,
        ["requestType": "EMAIL_SIGNIN", "email": "a@b", "continueUrl": .string(address)])
      #expect(link.error == (isOne ? nil : "INVALID_CONTINUE_URI"))
    }
  }
}
