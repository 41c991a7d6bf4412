@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// What opening a link from a letter does, for a program and in a browser.
@Suite(.timeLimit(.minutes(1)))
struct ActionLinkTests {
  private static let both = [Rules.production, .compatible]
  private static let browser =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

  private func open(
    _ emulator: Fixture, _ query: FormFields, accept: String? = nil
  ) async throws -> HTTPResponse {
    let address = "\(emulator.origin)/emulator/action?\(query.encoded)"
    var request = HTTPRequest(url: try #require(WebURL(address)))
    request.maximumRedirects = 0
    if let accept { request.headers.set("Accept", accept) }
    return try await emulator.exchange(request)
  }

  /// The parameters of the link that a request brings.
  private func link(_ emulator: Fixture, _ body: JSON) async throws -> FormFields {
    let reply = try await emulator.call(.sendOobCode, body)
    try #require(reply.status == 200, "\(reply.message)")
    return try await emulator.newestLink().fields
  }

  private func answer(_ response: HTTPResponse) throws -> JSON {
    try #require(try response.json()["authEmulator"])
  }

  @Test(arguments: both)
  func `a verification link verifies once`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      let query = try await link(emulator, ["requestType": "VERIFY_EMAIL", "idToken": token])
      let first = try await open(emulator, query)
      #expect(first.status == 200)
      #expect(
        try answer(first) == [
          "success": "The email has been successfully verified.", "email": "ada@b.example",
        ])
      let second = try await open(emulator, query)
      #expect(second.status == 400)
      #expect(
        try answer(second) == [
          "error":
            "Your request to verify your email has expired or the link has already been used.",
          "instructions": "Try verifying your email again.",
        ])
    }
  }

  @Test func `a link that lacks something says what to add`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let cases: [([(String, String)], String)] = [
        ([], "missing apiKey query parameter"),
        ([("apiKey", "k")], "missing oobCode query parameter"),
        ([("apiKey", "k"), ("oobCode", "x")], "Invalid mode"),
        (
          [("apiKey", "k"), ("oobCode", "x"), ("mode", "signIn")],
          "Missing continueUrl query parameter"
        ),
        (
          [("apiKey", "k"), ("oobCode", "x"), ("mode", "recoverEmail")],
          "Requested mode does not match the OOB code provided."
        ),
      ]
      for (query, error) in cases {
        let response = try await open(emulator, FormFields(query))
        #expect(response.status == 400)
        #expect(try answer(response)["error"] == .string(error))
      }
      var post = HTTPRequest.post(
        try #require(WebURL("\(emulator.origin)/emulator/action")), json: ["mode": "x"])
      #expect(try await emulator.exchange(post).status == 404)
      post.method = "DELETE"
      #expect(try await emulator.exchange(post).status == 404)
    }
  }

  @Test(arguments: both)
  func `a reset link takes the new password in its address`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      _ = try await emulator.signUp("ada@b.example")
      var query = try await link(
        emulator,
        [
          "requestType": "PASSWORD_RESET", "email": "ada@b.example",
          "continueUrl": "http://localhost/next?q=1",
        ])
      let missing = try answer(try await open(emulator, query))
      #expect(missing["error"] == "missing newPassword query parameter")
      #expect(missing["urlTemplate"]?.string?.hasSuffix("&newPassword=NEW_PASSWORD_HERE") == true)
      for (password, error) in [
        ("NEW_PASSWORD_HERE", "newPassword must be something other than 'NEW_PASSWORD_HERE'"),
        ("123", nil),
      ] {
        var tried = query
        tried.append("newPassword", password)
        let response = try await open(emulator, tried)
        #expect(response.status == 400)
        let json = try response.json()
        #expect(json["authEmulator"]?["error"]?.string == error)
        if error == nil {
          #expect(json["error"]?["message"]?.string?.hasPrefix("WEAK_PASSWORD") == true)
        }
      }
      query.append("newPassword", "a new password")
      let done = try await open(emulator, query)
      #expect(done.status == 303)
      #expect(done.headers["Location"] == "http://localhost/next?q=1")
      let fresh = try await emulator.call(
        .signInWithPassword, ["email": "ada@b.example", "password": "a new password"])
      #expect(fresh.status == 200)
    }
  }

  @Test func `a sign-in link takes all its parameters to the app`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let query = try await link(
        emulator,
        [
          "requestType": "EMAIL_SIGNIN", "email": "ada@b.example",
          "continueUrl": "myapp://done/here?mode=dark&x=a+b#top",
        ])
      let code = try #require(query["oobCode"])
      let response = try await open(emulator, query)
      #expect(response.status == 303)
      #expect(
        response.headers["Location"]
          == "myapp://done/here?mode=signIn&x=a+b&lang=en&oobCode=\(code)&apiKey=fake-api-key#top")
      var bad = FormFields([("apiKey", "k"), ("oobCode", "x"), ("mode", "signIn")])
      bad.append("continueUrl", "//no.scheme\r\nX: y")
      #expect(try await open(emulator, bad).status == 400)
    }
  }

  @Test func `under production rules a link leads nowhere but to the project's domains`()
    async throws
  {
    try await Fixture.run { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      var query = try await link(emulator, ["requestType": "VERIFY_EMAIL", "idToken": token])
      query.append("continueUrl", "https://evil.example/")
      let response = try await open(emulator, query)
      #expect(response.status == 400)
      #expect(
        try response.json()["error"]?["message"]?.string?.hasPrefix("UNAUTHORIZED_DOMAIN") == true)
      #expect(try await emulator.user(token)["emailVerified"] == false)
    }
  }

  @Test func `the way back from a change of address is a link too`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      _ = try await emulator.call(.update, ["idToken": token, "email": "new@b.example"])
      let query = try await emulator.newestLink().fields
      #expect(query["mode"] == "recoverEmail")
      #expect(
        try answer(try await open(emulator, query)) == [
          "success": "The email has been successfully reset.", "email": "ada@b.example",
        ])
    }
  }

  // MARK: In a browser

  @Test(arguments: both)
  func `a browser gets a form for the new password, which goes in the body`(rules: Rules)
    async throws
  {
    try await Fixture.run(rules: rules) { emulator in
      _ = try await emulator.signUp("ada@b.example")
      let query = try await link(
        emulator, ["requestType": "PASSWORD_RESET", "email": "ada@b.example"])
      let page = try await open(emulator, query, accept: Self.browser)
      #expect(page.status == 200)
      #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
      #expect(page.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
      #expect(page.text.contains("<label for=\"newPassword\">"))
      #expect(!page.text.contains("<script"))
      for (password, status, words) in [
        ("123", 400, "role=\"alert\">Password should be at least 6 characters"),
        ("a new password", 200, "The password has been successfully updated."),
        ("a new password", 400, "has expired or the link has already been used."),
      ] {
        let address = "\(emulator.origin)/emulator/action?\(query.encoded)"
        var form = HTTPRequest.post(
          try #require(WebURL(address)), form: FormFields([("newPassword", password)]))
        form.headers.set("Accept", Self.browser)
        let response = try await emulator.exchange(form)
        #expect(response.status == status)
        #expect(response.text.contains(words), "\(response.text)")
        #expect(!response.text.contains(password))
      }
    }
  }

  @Test func `nothing that a link or an account says is markup on the page`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let email: JSON = "<script>alert(1)</script>\"'&@b.example"
      _ = try await emulator.admin("accounts", ["email": email])
      var query = try await link(emulator, ["requestType": "PASSWORD_RESET", "email": email])
      query.append("x", "\"><script>alert(2)</script>")
      let page = try await open(emulator, query, accept: Self.browser)
      #expect(page.status == 200)
      #expect(page.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;@b.example"))
      #expect(!page.text.contains("<script"))
    }
  }

  @Test(
    arguments: [
      (nil, false), ("*/*", false), ("application/json", false), ("text/*", false),
      ("application/json, text/plain, */*", false), ("application/json, text/html", false),
      ("text/html;q=0, application/json", false), ("text/html;q=0.5, application/json", false),
      ("text/html", true), ("TEXT/HTML; q=0.9, */*", true), ("text/html, application/json", true),
    ] as [(String?, Bool)])
  func `only who prefers HTML gets a page`(accept: String?, isPage: Bool) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let response = try await open(emulator, FormFields(), accept: accept)
      #expect(response.status == 400)
      #expect(response.headers["Content-Type"]?.hasPrefix("text/html") == isPage)
    }
  }
}
