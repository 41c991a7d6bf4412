@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RoutingTests {
  private let signUp = "identitytoolkit.googleapis.com/v1/accounts:signUp"

  @Test func `an unknown path and a wrong method are 404 and a page, at a control 405`()
    async throws
  {
    try await Fixture.run { emulator in
      let accounts = "identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts"
      let missing = [
        ("GET", "identitytoolkit.googleapis.com/v1/nothing"),
        ("POST", "identitytoolkit.googleapis.com/v1/accounts:nothing"), ("GET", signUp),
        ("POST", "\(accounts):batchGet"),
      ]
      for (method, path) in missing {
        let url = try #require(WebURL("\(emulator.origin)/\(path)"))
        let response = try await emulator.exchange(HTTPRequest(method: method, url: url))
        #expect(response.status == 404, "\(method) \(path)")
        #expect(
          response.headers["Content-Type"]?.hasPrefix("text/html") == true, "\(method) \(path)")
      }
      #expect(try await emulator.request("PUT", "emulator/v1/clock").status == 405)
      #expect(try await emulator.request("POST", "emulator/v1/projects/other/config").status == 405)
    }
  }

  @Test func `a request without an API key is 403`() async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.post(signUp, [:], key: nil)
      #expect(reply.status == 403)
      #expect(reply["error"]?["status"] == "PERMISSION_DENIED")
      let header = try await emulator.post(
        signUp, [:], key: nil, headers: ["x-goog-api-key": "fake-key"])
      #expect(header.status == 200)
    }
  }

  @Test func `a project with an API key takes no other`() async throws {
    try await Fixture.run({ $0.apiKey = Secret("right") }) { emulator in
      #expect(try await emulator.post(signUp, [:], key: "right").status == 200)
      let reply = try await emulator.post(signUp, [:], key: "wrong")
      #expect(reply.status == 400)
      #expect(reply["error"]?["details"]?[0]?["reason"] == "API_KEY_INVALID")
    }
  }

  @Test func `an administrator's path needs the administrator's token`() async throws {
    try await Fixture.run { emulator in
      let path = "identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts:lookup"
      #expect(try await emulator.post(path, [:]).error == "INSUFFICIENT_PERMISSION")
      let wrong = try await emulator.post(path, [:], headers: ["Authorization": "Bearer nobody"])
      #expect(wrong.status == 401)
      let other = try await emulator.post(
        "identitytoolkit.googleapis.com/v1/projects/other/accounts:lookup",
        ["localId": ["nobody"]], headers: ["Authorization": "Bearer owner"])
      #expect(other.status == 200)
      #expect(other.json == ["kind": "identitytoolkit#GetAccountInfoResponse"])
    }
  }

  @Test(arguments: ["{", "[1]", "\"x\"", "null", "{\"email\":\"\u{0}\"}", "{\"a\":1}}"])
  func `a body that is no JSON object is 400`(text: String) async throws {
    try await Fixture.run { emulator in
      let url = try #require(WebURL("\(emulator.origin)/\(signUp)?key=k"))
      let request = HTTPRequest(
        method: "POST", url: url, headers: ["Content-Type": "application/json"],
        body: Array(text.utf8))
      let reply = try await emulator.send(request)
      #expect(reply.status == 400)
      #expect(reply.message.hasPrefix("Invalid JSON payload received."))
    }
  }

  @Test func `a body of another type is 400`() async throws {
    try await Fixture.run { emulator in
      let url = try #require(WebURL("\(emulator.origin)/\(signUp)?key=k"))
      let form = FormFields([("email", "a@b.example")])
      let reply = try await emulator.send(.post(url, form: form))
      #expect(reply.status == 400)
      #expect(reply.message.contains("content-type"))
    }
  }

  private static let attribute =
    "type.googleapis.com/google.cloud.identitytoolkit.v1.SetAccountInfoRequest.UserAttributeName"

  /// Fields of operations, with the type that a refusal says they must have.
  static let fields: [(Endpoint, String, String)] = [
    (.signUp, "email", "TYPE_STRING"), (.signUp, "password", "TYPE_STRING"),
    (.signUp, "idToken", "TYPE_STRING"),
    (.signUp, "displayName", "TYPE_STRING"), (.signUp, "disabled", "TYPE_BOOL"),
    (.signInWithPassword, "email", "TYPE_STRING"), (.signInWithPassword, "password", "TYPE_STRING"),
    (.signInWithIdp, "requestUri", "TYPE_STRING"), (.signInWithIdp, "postBody", "TYPE_STRING"),
    (.signInWithIdp, "sessionId", "TYPE_STRING"), (.signInWithIdp, "pendingToken", "TYPE_STRING"),
    (.signInWithIdp, "idToken", "TYPE_STRING"), (.signInWithIdp, "autoCreate", "TYPE_BOOL"),
    (.signInWithIdp, "returnIdpCredential", "TYPE_BOOL"),
    (.signInWithCustomToken, "token", "TYPE_STRING"), (.lookup, "idToken", "TYPE_STRING"),
    (.update, "idToken", "TYPE_STRING"), (.update, "displayName", "TYPE_STRING"),
    (.update, "deleteAttribute", attribute), (.update, "deleteProvider", "TYPE_STRING"),
    (.update, "validSince", "TYPE_INT64"), (.delete, "idToken", "TYPE_STRING"),
    (.createAuthUri, "providerId", "TYPE_STRING"), (.createAuthUri, "identifier", "TYPE_STRING"),
    (.token, "grantType", "TYPE_STRING"), (.signUp, "tenantId", "TYPE_STRING"),
  ]

  @Test(arguments: fields.indices)
  func `a field of the wrong type is 400 and named`(index: Int) async throws {
    let (endpoint, name, type) = Self.fields[index]
    try await Fixture.run { emulator in
      // One value may stand for a list, so that its first element is named.
      let isList = ["deleteAttribute", "deleteProvider"].contains(name)
      let field = Self.protoName(of: name) + (isList ? "[0]" : "")
      let values: [(JSON, String)] = [
        (["a": 1], "Starting an object on a scalar field"), (true, "true"),
      ]
      for (value, shown) in values where !(type == "TYPE_BOOL" && value == true) {
        let reply = try await emulator.call(endpoint, .object([name: value]))
        #expect(reply.status == 400)
        #expect(reply["error"]?["status"] == "INVALID_ARGUMENT")
        #expect(reply.message == "Invalid value at '\(field)' (\(type)), \(shown)")
        #expect(
          reply["error"]?["details"]?[0]?["fieldViolations"]?[0]?["field"] == .string(field))
      }
    }
  }

  /// `idToken` as protocol buffers spell it: `id_token`.
  private static func protoName(of name: String) -> String {
    name.map { $0.isUppercase ? "_\($0.lowercased())" : String($0) }.joined()
  }

  @Test func `legacy paths and snake case are understood`() async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.post(
        "www.googleapis.com/identitytoolkit/v3/relyingparty/signupNewUser",
        ["email": "ada@b.example", "password": "123456", "display_name": "Ada"])
      #expect(reply["displayName"] == "Ada")
    }
  }

  @Test func `the settings have a second path`() async throws {
    try await Fixture.run { emulator in
      var request = HTTPRequest(
        method: "GET",
        url: try #require(
          WebURL(
            "\(emulator.origin)/identitytoolkit.googleapis.com/admin/v2/projects/demo-luath/config")
        ))
      request.headers.set("Authorization", "Bearer owner")
      let reply = try await emulator.send(request)
      #expect(reply.status == 200, "\(reply.message)")
      #expect(reply["signIn"] != nil)
    }
  }

  @Test func `what is not emulated says so`() async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.call(.signInWithGameCenter)
      #expect(reply.status == 501)
      #expect(reply.message.contains("not implemented"))
      let tenant = try await emulator.call(.signUp, ["tenantId": "t"])
      #expect(tenant.status == 400 && tenant.message == "INVALID_TENANT_ID")
    }
  }

  @Test func `project configuration names the authorized domains`() async throws {
    try await Fixture.run({ $0.authDomain = "demo.firebaseapp.com" }) { emulator in
      let reply = try await emulator.request(
        "GET", "identitytoolkit.googleapis.com/v1/projects?key=k")
      #expect(
        reply["authorizedDomains"] == [
          "localhost", "127.0.0.1", "[::1]", "demo-luath.firebaseapp.com", "demo-luath.web.app",
          "demo.firebaseapp.com",
        ])
      #expect(reply["projectId"]?.string != nil)
    }
  }

  @Test func `the handler page is a page of its own`() async throws {
    try await Fixture.run { emulator in
      let url = try #require(WebURL("\(emulator.origin)/__/auth/handler?code=c&state=s"))
      let response = try await emulator.exchange(HTTPRequest(url: url))
      #expect(response.status == 200)
      #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
      #expect(!response.text.contains("src="))
    }
  }
}
