@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@testable import Emulator

@Suite(.timeLimit(.minutes(1)))
struct IdentityProvidersTokenTests {
  private func error(_ response: HTTPResponse) throws -> String? {
    try response.json()["error"]?.string
  }

  @Test func `a code is good once, and its tokens die when it comes again`() async throws {
    let visitor = try await ProviderVisitor()
    let code = try await visitor.code()
    let first = try await visitor.token(["code": code])
    #expect(first.status == 200)
    let bearer = "Bearer \(try first.json()["access_token"]?.string ?? "")"
    #expect(
      try await visitor.send("/oidc/corp/userinfo", headers: ["Authorization": bearer]).status
        == 200)
    #expect(try error(try await visitor.token(["code": code])) == "invalid_grant")
    let dead = try await visitor.send("/oidc/corp/userinfo", headers: ["Authorization": bearer])
    #expect(dead.status == 401)
    #expect(dead.headers["WWW-Authenticate"] == "Bearer error=\"invalid_token\"")
    await visitor.end()
  }

  @Test func `a code lives for a minute`() async throws {
    let visitor = try await ProviderVisitor()
    let code = try await visitor.code()
    visitor.clock.advance(bySeconds: 60)
    #expect(try error(try await visitor.token(["code": code])) == "invalid_grant")
    await visitor.end()
  }

  @Test func `a code is bound to redirect address and verifier`() async throws {
    let visitor = try await ProviderVisitor()
    let other = try await visitor.code()
    #expect(
      try error(try await visitor.token(["code": other, "redirect_uri": "http://127.0.0.1:1/"]))
        == "invalid_grant")
    let pkce = PKCE()
    let challenge: [String: String?] = [
      "code_challenge": pkce.challenge, "code_challenge_method": "S256", "prompt": "consent",
      "login_hint": "barbara@corp.example",
    ]
    let without = try await visitor.code(challenge)
    #expect(try error(try await visitor.token(["code": without])) == "invalid_grant")
    let wrong = try await visitor.code(challenge)
    let verifier = String(repeating: "a", count: 43)
    #expect(
      try error(try await visitor.token(["code": wrong, "code_verifier": verifier]))
        == "invalid_grant")
    let right = try await visitor.code(challenge)
    let answer = try await visitor.token(["code": right, "code_verifier": pkce.verifier.reveal()])
    #expect(answer.status == 200)
    await visitor.end()
  }

  @Test func `the client proves itself by header or body, not both`() async throws {
    let visitor = try await ProviderVisitor()
    let basic = Base64.encode(Array("luath-client-oidc.corp:luath-secret-oidc.corp".utf8))
    let consented: [String: String?] = [
      "prompt": "consent", "login_hint": "barbara@corp.example",
    ]
    let good = try await visitor.token(
      ["code": try await visitor.code(), "client_id": nil, "client_secret": nil],
      headers: ["Authorization": "Basic \(basic)"])
    #expect(good.status == 200)
    let both = try await visitor.token(
      ["code": try await visitor.code(consented)], headers: ["Authorization": "Basic \(basic)"])
    #expect(try error(both) == "invalid_request")
    let code = try await visitor.code(consented)
    for changes in [
      ["client_secret": "wrong"], ["client_secret": nil], ["client_id": "other"],
    ] as [[String: String?]] {
      var changes = changes
      changes["code"] = code
      let refused = try await visitor.token(changes)
      #expect(refused.status == 401)
      #expect(try error(refused) == "invalid_client")
      #expect(refused.headers["WWW-Authenticate"]?.hasPrefix("Basic") == true)
    }
    #expect(try await visitor.token(["code": code]).status == 200)
    await visitor.end()
  }

  @Test func `other requests are refused by name`() async throws {
    let visitor = try await ProviderVisitor()
    #expect(
      try error(try await visitor.token(["grant_type": "password"])) == "unsupported_grant_type")
    #expect(try error(try await visitor.token(["grant_type": nil])) == "invalid_request")
    #expect(try error(try await visitor.token([:])) == "invalid_request")
    #expect(try error(try await visitor.token(["code": "made-up"])) == "invalid_grant")
    await visitor.end()
  }

  @Test func `a refresh token comes with offline_access and is good once`() async throws {
    let visitor = try await ProviderVisitor()
    let plain = try await visitor.token(["code": try await visitor.code()]).json()
    #expect(plain["refresh_token"] == nil)
    let code = try await visitor.code([
      "scope": "openid email offline_access", "login_hint": "barbara@corp.example",
    ])
    let tokens = try await visitor.token(["code": code]).json()
    let refresh = try #require(tokens["refresh_token"]?.string)
    let fields: [String: String?] = [
      "grant_type": "refresh_token", "refresh_token": refresh, "redirect_uri": nil,
    ]
    let fresh = try await visitor.token(fields)
    #expect(fresh.status == 200)
    #expect(try fresh.json()["refresh_token"]?.string != refresh)
    var wider = fields
    wider["refresh_token"] = try fresh.json()["refresh_token"]?.string
    wider["scope"] = "openid profile"
    #expect(try error(try await visitor.token(wider)) == "invalid_scope")
    #expect(try error(try await visitor.token(fields)) == "invalid_grant")
    await visitor.end()
  }

  @Test func `a narrower refresh narrows the access token alone`() async throws {
    let visitor = try await ProviderVisitor()
    let all = "openid email offline_access"
    let code = try await visitor.code(["scope": all, "login_hint": "barbara@corp.example"])
    var tokens = try await visitor.token(["code": code]).json()
    func refresh(_ scope: String?) async throws {
      let answer = try await visitor.token([
        "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]?.string,
        "redirect_uri": nil, "scope": scope,
      ])
      #expect(answer.status == 200)
      tokens = try answer.json()
    }
    try await refresh("openid")
    #expect(tokens["scope"] == "openid")
    try await refresh(nil)
    #expect(tokens["scope"] == .string(all))
    try await refresh("email")
    #expect(tokens["scope"] == "email")
    try await refresh("openid email")
    #expect(tokens["scope"] == "openid email")
    await visitor.end()
  }

  @Test func `an access token dies after an hour`() async throws {
    let visitor = try await ProviderVisitor()
    let tokens = try await visitor.token(["code": try await visitor.code()]).json()
    visitor.clock.advance(bySeconds: 3600)
    let answer = try await visitor.send(
      "/oidc/corp/userinfo",
      headers: ["Authorization": "Bearer \(tokens["access_token"]?.string ?? "")"])
    #expect(answer.status == 401)
    await visitor.end()
  }

  @Test func `the picture is a well-formed PNG`() {
    let png = PersonPhoto(seed: Digest.sha256(Array("ada@contoso.example".utf8))).png
    #expect(png.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    #expect(png.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
  }

  @Test func `a full table forgets its oldest entries`() {
    var table = BoundedTable<Int>(limit: 10)
    for number in 0..<1_000 { table["\(number)"] = number }
    #expect(table.count <= 10)
    #expect(table["999"] == 999)
    #expect(table["0"] == nil)
    table["999"] = nil
    #expect(table["999"] == nil)
  }
}
