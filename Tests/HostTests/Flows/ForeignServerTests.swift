@testable import Emulator
@testable import System
@testable import HTTP
@testable import OIDC
@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct ForeignServerTests {
  // MARK: Logins where none was begun

  @Test(arguments: ["form", "webdriver"])
  func `a sign-out types nothing into a login form`(_ delegate: String) async throws {
    let seen = try await ForeignServer().run(
      program: "ForeignServer/login_at_sign_out", given: ["delegate": .string(delegate)])
    #expect(!seen.contains { $0.method == "POST" })
    #expect(!seen.contain("horse"))
  }

  @Test(arguments: ["form", "webdriver"])
  func `prompt=none types nothing into a login form`(_ delegate: String) async throws {
    let seen = try await ForeignServer().run(
      program: "ForeignServer/login_despite_prompt_none", given: ["delegate": .string(delegate)])
    #expect(!seen.contains { $0.method == "POST" })
    #expect(!seen.contain("horse"))
  }

  @Test func `a delegate without a password meets the same error`() async throws {
    try await ForeignServer().run(program: "ForeignServer/no_password")
  }

  // MARK: Sign-out pages

  @Test(arguments: ["form", "webdriver"])
  func `a sign-out page may ask in sentences, with buttons outside of its form`(
    _ delegate: String
  ) async throws {
    let seen = try await ForeignServer().run(
      program: "ForeignServer/sentences", given: ["delegate": .string(delegate)])
    let answers = seen.filter { $0.method == "POST" }.map { $0.form["answer"] }
    #expect(answers == ["1", "0", "1", "0"])
  }

  // MARK: Keys

  @Test func `those who verify at the same time share one fetch of the keys`() async throws {
    let key = try SigningKey.generate()
    let now = TokenIssuer.now
    let strange = try SigningKey.generate().sign(["iat": .integer(now), "exp": .integer(now + 300)])
    var server = ForeignServer(keys: ["keys": [.object(key.publicJWK)]])
    server.runner.environment["STRANGE"] = strange
    let seen = try await server.run(program: "ForeignServer/shared_fetch")
    #expect(seen.filter { $0.url.path == "/login/keys" }.count == 4)
  }

  @Test func `the emulator takes Microsoft's shared issuer with the token's tenant`() async throws {
    let key = try SigningKey.generate()
    var server = ForeignServer(keys: ["keys": [.object(key.publicJWK)]])
    let now = TokenIssuer.now
    // Signed once the server's address is known, by a claim that the script names.
    server.sign = { origin, tenant, named in
      try key.sign([
        "iss": .string("\(origin)/ms/\(named)/v2.0"), "aud": "app", "sub": "s-1",
        "tid": tenant.map { JSON.string($0) } ?? .null, "iat": .integer(now),
        "exp": .integer(now + 300),
      ])
    }
    try await server.run(program: "ForeignServer/shared_issuer")
  }

  // MARK: What is wrong with a server

  @Test func `each fault of a server has a code and a hint of its own`() async throws {
    let seen = try await ForeignServer().run(program: "ForeignServer/faults")
    #expect(!seen.contain("not the secret"))
  }

  @Test func `signing keys that cannot be had are named by their address`() async throws {
    var server = ForeignServer()
    server.runner.environment["TOKEN"] = try SigningKey.generate().sign(["sub": "ada"])
    try await server.run(program: "ForeignServer/missing_keys")
  }

  @Test(arguments: ["form", "webdriver"])
  func `an error page is read to its end`(_ delegate: String) async throws {
    try await ForeignServer().run(
      program: "ForeignServer/error_pages", given: ["delegate": .string(delegate)])
  }

  @Test(arguments: ["form", "webdriver"])
  func `a refused redirect address has one code, wherever that is reported`(
    _ delegate: String
  ) async throws {
    try await ForeignServer().run(
      program: "ForeignServer/redirect_address", given: ["delegate": .string(delegate)])
  }

  @Test(arguments: ["form", "webdriver"])
  func `a search box is no part of a sign-out`(_ delegate: String) async throws {
    let seen = try await ForeignServer().run(
      program: "ForeignServer/search_box", given: ["delegate": .string(delegate)])
    #expect(!seen.contains { $0.url.path == "/find" })
  }

  @Test func `a browser reports the same faults of pages`() async throws {
    try await ForeignServer().run(program: "ForeignServer/browser_faults")
  }

  /// By the emulator, which is the server's client then: the code is production's, the cause is in
  /// the details.
  @Test func `a foreign provider of the project fails with its cause`() async throws {
    try await ForeignServer().run(program: "ForeignServer/provider_of_the_project")
  }
}
