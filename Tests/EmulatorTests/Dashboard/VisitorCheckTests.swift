import Emulator
import Encoding
import HTTP
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

  @Test func `under production rules other names and pages reach no administrator's path`()
    async throws
  {
    try await Fixture.run { emulator async throws in
      let bearer = ("Authorization", "Bearer owner")
      let evil = ("Origin", "https://evil.example")
      #expect(try await status(emulator, "POST", Self.admin, HTTPHeaders([bearer, evil])) == 403)
      #expect(
        try await status(
          emulator, "POST", Self.admin, HTTPHeaders([bearer, ("Host", "evil.example")])) == 403)
      #expect(try await status(emulator, "DELETE", Self.accounts, HTTPHeaders([evil])) == 403)
      #expect(
        try await status(emulator, "DELETE", Self.accounts, HTTPHeaders([("Origin", "null")]))
          == 403)
      let asking = HTTPHeaders([
        evil, ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "Authorization"),
      ])
      #expect(try await status(emulator, "OPTIONS", Self.admin, asking) == 403)
      // The app under test is a page of this machine, and its users come from anywhere.
      let app = ("Origin", "http://localhost:3000")
      #expect(try await status(emulator, "DELETE", Self.accounts, HTTPHeaders([app])) == 200)
      #expect(try await status(emulator, "POST", Self.admin, HTTPHeaders([bearer, app])) == 200)
      #expect(try await status(emulator, "POST", Self.signUp, HTTPHeaders([evil])) == 200)
      let rebound = HTTPHeaders([("Host", "evil.example")])
      #expect(try await status(emulator, "POST", Self.signUp, rebound) == 403)
    }
  }

  @Test func `compatible rules let in whoever Firebase's emulator does`() async throws {
    try await Fixture.run(rules: .compatible) { emulator async throws in
      let headers = HTTPHeaders([
        ("Authorization", "Bearer owner"), ("Origin", "https://evil.example"),
        ("Host", "emulator:9099"),
      ])
      #expect(try await status(emulator, "POST", Self.admin, headers) == 200)
      #expect(try await status(emulator, "DELETE", Self.accounts, headers) == 200)
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

  @Test func `on every address, names stay out of the page and addresses come in`() async throws {
    let emulator = try Emulator(rules: .production)
    let port = try await emulator.start(address: "0.0.0.0")
    let client = HTTPClient(loop: emulator.loop)
    func status(_ host: String, _ path: String) async throws -> Int {
      let url = try #require(WebURL("http://127.0.0.1:\(port)\(path)"))
      return try await client.send(
        HTTPRequest(url: url, headers: ["Host": host, "Accept": "text/html"])
      ).status
    }
    #expect(try await status("192.0.2.7:\(port)", "/") == 200)
    #expect(try await status("emulator:\(port)", "/") == 403)
    #expect(try await status("emulator:\(port)", "/emulator/v1/clock") == 403)
    #expect(
      try await status("emulator:\(port)", "/identitytoolkit.googleapis.com/v1/projects?key=k")
        == 200)
    await emulator.stop()
  }
}
