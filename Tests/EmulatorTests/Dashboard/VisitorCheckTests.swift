@testable import Emulator
@testable import System
@testable import HTTP
import Testing

/// Who may come in, by Host and Origin.
@Suite(.timeLimit(.minutes(1))) struct VisitorCheckTests {
  private static let signUp = "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"
  private static let admin = "/identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts"
  private static let accounts = "/emulator/v1/projects/demo-luath/accounts"

  private func status(
    _ emulator: Fixture, _ method: String, _ path: String, _ headers: HTTPHeaders
  ) async throws -> Int {
    var request = HTTPRequest(
      method: method, url: try #require(WebURL(emulator.origin + path)), headers: headers)
    if method == "POST" {
      request.body = Array("{}".utf8)
      request.headers.set("Content-Type", "application/json")
    }
    return try await emulator.exchange(request).status
  }

  @Test(arguments: [Rules.compatible, .production])
  func `the page and the events are for no other name and no other origin`(rules: Rules)
    async throws
  {
    try await Fixture.run(rules: rules) { emulator async throws in
      for path in ["/", "/emulator/ui/log", "/emulator/ui/style.css", "/emulator/v1/events"] {
        let html = ("Accept", "text/html")
        #expect(
          try await status(emulator, "GET", path, HTTPHeaders([html, ("Host", "evil.example")]))
            == 403)
        let foreign = HTTPHeaders([html, ("Origin", "http://localhost:3000")])
        #expect(try await status(emulator, "GET", path, foreign) == 403)
        let own = HTTPHeaders([html, ("Origin", emulator.origin)])
        #expect(try await status(emulator, "GET", path, own) == 200)
      }
    }
  }

  /// What an administrator reads and changes, by every kind of path: with a token, and without one where none is
  /// needed.
  private static let administration = [
    ("POST", admin, true),
    ("GET", "/identitytoolkit.googleapis.com/v2/projects/demo-luath/config", true),
    ("POST", "/identitytoolkit.googleapis.com/v1/accounts:lookup", true),
    ("DELETE", accounts, false), ("GET", "/emulator/v1/projects/demo-luath/oobCodes", false),
    ("GET", "/emulator/v1/projects/demo-luath/serviceAccount", false),
    ("GET", "/%65mulator/v1/%70rojects/demo-luath/serviceAccount", false),
    ("GET", "/emulator/v1/people", false), ("GET", "/emulator/v1/faults", false),
    ("GET", "/Emulator/Auth/Handler/?apiKey=k&providerId=google.com", false),
    // An API key is enough for these under compatible rules.
    ("GET", "/identitytoolkit.googleapis.com/v2/projects//config?key=k", false),
    ("GET", "/identitytoolkit.googleapis.com/v1/projects//accounts:batchGet?key=k", false),
  ]

  @Test(arguments: [Rules.compatible, .production])
  func `a page of another origin reaches no administrator's path`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator async throws in
      for (method, path, needsToken) in Self.administration {
        let token = needsToken ? [("Authorization", "Bearer owner")] : []
        for origin in [
          "https://evil.example", "null", "", "http://localhost.evil.example", "file://",
          "http://192.0.2.7",
        ] {
          let headers = HTTPHeaders(token + [("Origin", origin)])
          #expect(
            try await status(emulator, method, path, headers) == 403, "\(method) \(path) \(origin)")
        }
        let two = token + [("Origin", "http://localhost"), ("Origin", "https://evil.example")]
        #expect(try await status(emulator, method, path, HTTPHeaders(two)) == 403)
        let asking = HTTPHeaders([
          ("Origin", "https://evil.example"), ("Access-Control-Request-Method", method),
          ("Access-Control-Request-Headers", needsToken ? "Authorization" : "content-type"),
        ])
        #expect(try await status(emulator, "OPTIONS", path, asking) == 403, "\(path)")
        // DNS rebinding: the page asks under its own name, so the browser sends no Origin.
        let rebound = HTTPHeaders(token + [("Host", "evil.example")])
        #expect(try await status(emulator, method, path, rebound) == 403, "\(path)")
      }
    }
  }

  @Test(arguments: [Rules.compatible, .production])
  func `pages of this machine and programs are let in, and what apps call is open`(
    rules: Rules
  ) async throws {
    try await Fixture.run(rules: rules) { emulator async throws in
      let bearer = ("Authorization", "Bearer owner")
      for origin in [
        "http://localhost:3000", "https://localhost", "http://127.0.0.1:5000", "http://[::1]:8080",
        "http://app.localhost:4200", emulator.origin,
      ] {
        // As the test helpers of the web SDK do it: from the app's page, with the administrator's token.
        let page = HTTPHeaders([bearer, ("Origin", origin)])
        #expect(try await status(emulator, "DELETE", Self.accounts, page) == 200, "\(origin)")
        #expect(try await status(emulator, "POST", Self.admin, page) == 200, "\(origin)")
        let asking = HTTPHeaders([
          ("Origin", origin), ("Access-Control-Request-Method", "DELETE"),
          ("Access-Control-Request-Headers", "authorization"),
        ])
        #expect(try await status(emulator, "OPTIONS", Self.accounts, asking) == 204)
      }
      #expect(try await status(emulator, "DELETE", Self.accounts, HTTPHeaders([bearer])) == 200)
      let evil = ("Origin", "https://evil.example")
      #expect(try await status(emulator, "POST", Self.signUp, HTTPHeaders([evil])) == 200)
      // Rules of Google's servers keep foreign names away from what apps call, too.
      let rebound = HTTPHeaders([("Host", "evil.example")])
      #expect(
        try await status(emulator, "POST", Self.signUp, rebound)
          == (rules == .production ? 403 : 200))
      // The name by which an Android emulator reaches its host.
      let phone = HTTPHeaders([bearer, ("Host", "10.0.2.2:9099")])
      #expect(try await status(emulator, "POST", Self.admin, phone) == 200)
    }
  }

  @Test(arguments: [Rules.compatible, .production])
  func `an origin that the user allows is let in, by its pages and as a name`(
    rules: Rules
  ) async throws {
    func run(_ allowed: [String], _ body: (Fixture) async throws -> Void) async throws {
      try await Fixture.run(
        rules: rules, { for origin in allowed { try! $0.allowedOrigins.add(origin) } }, body)
    }
    try await run(["https://app.example", "capacitor://localhost"]) { emulator async throws in
      for origin in ["https://app.example", "capacitor://localhost"] {
        #expect(
          try await status(emulator, "DELETE", Self.accounts, HTTPHeaders([("Origin", origin)]))
            == 200)
      }
      let named = HTTPHeaders([("Host", "app.example:9099")])
      #expect(try await status(emulator, "DELETE", Self.accounts, named) == 200)
      for origin in ["http://app.example", "https://app.example:444", "null", "capacitor://evil"] {
        #expect(
          try await status(emulator, "DELETE", Self.accounts, HTTPHeaders([("Origin", origin)]))
            == 403,
          "\(origin)")
      }
      // The page has only its own origin, whoever is allowed.
      let page = HTTPHeaders([("Accept", "text/html"), ("Origin", "https://app.example")])
      #expect(try await status(emulator, "GET", "/emulator/ui/log", page) == 403)
    }
    try await run(["*"]) { emulator async throws in
      for header in [
        ("Origin", "null"), ("Origin", "https://evil.example"), ("Host", "evil.example"),
      ] {
        #expect(
          try await status(emulator, "DELETE", Self.accounts, HTTPHeaders([header])) == 200)
      }
    }
  }

  @Test func `the refusal says what to do`() async throws {
    try await Fixture.run { emulator async throws in
      let url = try #require(WebURL("\(emulator.origin)/emulator/v1/clock"))
      let reply = try await emulator.send(
        HTTPRequest(url: url, headers: ["Host": "evil.example"]))
      #expect(reply["error"]?["status"] == "PERMISSION_DENIED")
      #expect(reply.message.contains("evil.example") && reply.message.contains("127.0.0.1"))
    }
  }

  @Test func `on every address, the names of the public DNS stay out and the others come in`()
    async throws
  {
    let emulator = try Emulator(rules: .production)
    let port = try await emulator.start(address: "0.0.0.0")
    let client = HTTPClient(loop: emulator.loop)
    func status(_ host: String, _ path: String, origin: String? = nil) async throws -> Int {
      let url = try #require(WebURL("http://127.0.0.1:\(port)\(path)"))
      var headers: HTTPHeaders = ["Host": host, "Accept": "text/html"]
      headers["Origin"] = origin
      return try await client.send(HTTPRequest(url: url, headers: headers)).status
    }
    // A service of Docker Compose, and an address.
    for host in ["emulator:\(port)", "192.0.2.7:\(port)"] {
      #expect(try await status(host, "/") == 200)
      #expect(try await status(host, "/emulator/v1/clock") == 200)
      #expect(try await status(host, "/emulator/v1/clock", origin: "http://\(host)") == 200)
      // A server of the same address at another port has other pages.
      #expect(try await status(host, "/emulator/v1/clock", origin: "http://192.0.2.7") == 403)
    }
    #expect(try await status("emulator.example:\(port)", "/") == 403)
    #expect(try await status("emulator.example:\(port)", "/emulator/v1/clock") == 403)
    #expect(
      try await status(
        "emulator.example:\(port)", "/identitytoolkit.googleapis.com/v1/projects?key=k") == 200)
    await emulator.stop()
  }
}
