import Emulator
import Encoding
import HTTP
import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RoutingTests {
  private let signUp = "identitytoolkit.googleapis.com/v1/accounts:signUp"

  @Test func `an unknown path is 404 and a wrong method 405, in Google's shape`() async throws {
    try await Fixture.run { emulator in
      let missing = try await emulator.request("GET", "identitytoolkit.googleapis.com/v1/nothing")
      #expect(missing.status == 404)
      #expect(missing["error"]?["status"] == "NOT_FOUND")
      #expect(missing["error"]?["errors"]?[0]?["reason"] == "notFound")
      #expect(try await emulator.request("GET", signUp).status == 405)
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
        "identitytoolkit.googleapis.com/v1/projects/other/accounts:lookup", [:],
        headers: ["Authorization": "Bearer owner"])
      #expect(other.status == 200)
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

  /// Every field of every operation, with the type it must have.
  static let fields: [(Endpoint, String, String)] = [
    (.signUp, "email", "string"), (.signUp, "password", "string"), (.signUp, "idToken", "string"),
    (.signUp, "displayName", "string"), (.signUp, "disabled", "boolean"),
    (.signInWithPassword, "email", "string"), (.signInWithPassword, "password", "string"),
    (.signInWithIdp, "requestUri", "string"), (.signInWithIdp, "postBody", "string"),
    (.signInWithIdp, "sessionId", "string"), (.signInWithIdp, "pendingToken", "string"),
    (.signInWithIdp, "idToken", "string"), (.signInWithIdp, "autoCreate", "boolean"),
    (.signInWithIdp, "returnIdpCredential", "boolean"),
    (.signInWithCustomToken, "token", "string"), (.lookup, "idToken", "string"),
    (.update, "idToken", "string"), (.update, "displayName", "string"),
    (.update, "deleteAttribute", "array"), (.update, "deleteProvider", "array"),
    (.update, "validSince", "string"), (.delete, "idToken", "string"),
    (.createAuthUri, "providerId", "string"), (.createAuthUri, "identifier", "string"),
    (.token, "grantType", "string"), (.signUp, "tenantId", "string"),
  ]

  @Test(arguments: fields.indices)
  func `a field of the wrong type is 400 and named`(index: Int) async throws {
    let (endpoint, name, type) = Self.fields[index]
    try await Fixture.run { emulator in
      for value in [["a": 1], true] as [JSON] where !(type == "boolean" && value == true) {
        let reply = try await emulator.call(endpoint, .object([name: value]))
        #expect(reply.status == 400)
        #expect(reply["error"]?["status"] == "INVALID_ARGUMENT")
        #expect(reply.message.contains("/\(name) must be"))
        #expect(reply.message.contains(type))
      }
    }
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
      #expect(try await emulator.call(.signUp, ["tenantId": "t"]).error == "TENANT_NOT_FOUND")
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
