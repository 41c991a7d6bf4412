@testable import System
import Foundation
@testable import HTTP
@testable import IdentityToolkit
import Testing

@testable import Emulator

/// What was acknowledged is there when another process goes on with the file.
@Suite(.timeLimit(.minutes(2))) struct StateTests {
  private let scratch: StateScratch
  private static let owner: HTTPHeaders = ["Authorization": "Bearer owner"]
  private static let service = "identitytoolkit.googleapis.com"

  init() throws {
    scratch = try StateScratch()
  }

  private func send(
    _ fixture: Fixture, _ method: String, _ path: String, _ body: JSON? = nil
  ) async throws -> Fixture.Reply {
    var request = HTTPRequest(
      method: method, url: try #require(WebURL("\(fixture.origin)/\(path)")), headers: Self.owner)
    if let body {
      request.body = body.encodedBytes()
      request.headers.set("Content-Type", "application/json")
    }
    let reply = try await fixture.send(request)
    try #require(reply.status == 200, "\(path): \(reply.message)")
    return reply
  }

  private func admin(
    _ fixture: Fixture, _ method: String, _ path: String, _ body: JSON? = nil
  ) async throws -> Fixture.Reply {
    try await send(fixture, method, "\(Self.service)/\(path)", body)
  }

  private func client(
    _ fixture: Fixture, _ path: String, _ body: JSON
  ) async throws -> Fixture.Reply {
    let reply = try await fixture.post("\(Self.service)/\(path)", body)
    try #require(reply.status == 200, "\(path): \(reply.message)")
    return reply
  }

  /// Everything that calls can list.
  private func listing(
    _ fixture: Fixture, _ rules: Rules, tenant: String
  ) async throws -> [String: JSON] {
    var paths = ["emulator/v1/clock", "emulator/v1/people"]
    for project in ["demo-luath", "other/project".replacing("/", with: "%2F")] {
      paths += [
        "\(Self.service)/v1/projects/\(project)/accounts:batchGet?maxResults=-1",
        "\(Self.service)/v2/projects/\(project)/config",
        "\(Self.service)/v2/projects/\(project)/tenants",
        "emulator/v1/projects/\(project)/config",
        "emulator/v1/projects/\(project)/oobCodes",
        "emulator/v1/projects/\(project)/verificationCodes",
      ]
      if rules[.furtherOperations] {
        paths.append("\(Self.service)/v2/projects/\(project)/oauthIdpConfigs")
      }
    }
    paths += [
      "\(Self.service)/v1/projects/demo-luath/tenants/\(tenant)/accounts:batchGet?maxResults=-1",
      "emulator/v1/projects/demo-luath/tenants/\(tenant)/oobCodes",
    ]
    var found: [String: JSON] = [:]
    for path in paths { found[path] = try await send(fixture, "GET", path).json }
    return found
  }

  /// Changes everything that can be changed; returns the tenant and tokens that are to stay good.
  private func changeEverything(
    _ fixture: Fixture, _ rules: Rules
  ) async throws -> (tenant: String, signedIn: Fixture.Reply, dead: JSON?) {
    let project = "v1/projects/demo-luath"
    let ada = try await fixture.signUp("ada@x.example")
    _ = try await fixture.signUp("zoe@x.example")
    _ = try await fixture.call(.signUp)
    // Under another project, whose id could be taken for a path.
    _ = try await admin(
      fixture, "POST", "v1/projects/other%2Fproject/accounts",
      ["localId": "x", "email": "ada@x.example", "password": "secret1"])
    _ = try await admin(
      fixture, "PATCH", "v2/projects/other%2Fproject/config?updateMask=signIn",
      ["signIn": ["allowDuplicateEmails": true]])
    var upload: JSONObject = [
      "users": [
        [
          "localId": "imported", "email": "i@x.example", "emailVerified": true,
          "passwordHash":
            "V358E8LdWJXAO7muq0CufVpEOXaj8aFiC7T_rcaGieN04q_ZPJ08WhJEHGjj9lz_2TT-_86N5VjVoc5DdBhBiw==",
          "salt": "bm9uZQ==", "providerUserInfo": [["providerId": "google.com", "rawId": "g1"]],
          "mfaInfo": [["mfaEnrollmentId": "m1", "phoneInfo": "+16505550101"]],
        ], ["localId": "doomed"], ["localId": "deleted"],
      ]
    ]
    if rules[.hashedPasswords] { upload["hashAlgorithm"] = "SHA512"; upload["rounds"] = 1 }
    _ = try await admin(fixture, "POST", "\(project)/accounts:batchCreate", .object(upload))
    _ = try await admin(
      fixture, "POST", "\(project)/accounts:batchDelete", ["localIds": ["doomed"], "force": true])
    _ = try await admin(fixture, "POST", "\(project)/accounts:delete", ["localId": "deleted"])
    _ = try await admin(
      fixture, "POST", "\(project)/accounts:update",
      [
        "localId": ada["localId"] ?? nil, "displayName": "Ada", "phoneNumber": "+16505550102",
        "customAttributes": #"{"role":"admin"}"#, "photoUrl": "https://p.example",
        "linkProviderUserInfo": [
          "providerId": "google.com", "rawId": "g2", "email": "a@g.example",
        ],
      ])
    // Kills the tokens of sign-up.
    _ = try await client(
      fixture, "v1/accounts:update",
      ["idToken": ada["idToken"] ?? nil, "password": "another one", "returnSecureToken": true])
    let signedIn = try await client(
      fixture, "v1/accounts:signInWithPassword",
      ["email": "ada@x.example", "password": "another one", "returnSecureToken": true])
    for request: JSON in [
      ["requestType": "PASSWORD_RESET", "email": "ada@x.example"],
      ["requestType": "VERIFY_EMAIL", "idToken": signedIn["idToken"] ?? nil],
    ] {
      _ = try await client(fixture, "v1/accounts:sendOobCode", request)
    }
    let sent = try await client(
      fixture, "v1/accounts:sendVerificationCode",
      ["phoneNumber": "+16505550103", "recaptchaToken": "any"])
    let codes = try await send(
      fixture, "GET", "emulator/v1/projects/demo-luath/verificationCodes")
    _ = try await client(
      fixture, "v1/accounts:signInWithPhoneNumber",
      [
        "sessionInfo": sent["sessionInfo"] ?? nil,
        "code": codes["verificationCodes"]?[0]?["code"] ?? nil,
      ])
    _ = try await client(
      fixture, "v1/accounts:sendVerificationCode",
      ["phoneNumber": "+16505550104", "recaptchaToken": "any"])
    let made = try await admin(
      fixture, "POST", "v2/projects/demo-luath/tenants",
      ["displayName": "tenant", "allowPasswordSignup": true])
    let tenant = try #require(made["name"]?.string?.split(separator: "/").last.map(String.init))
    let gone = try await admin(
      fixture, "POST", "v2/projects/demo-luath/tenants", ["displayName": "gone"])
    let goneID = try #require(gone["name"]?.string?.split(separator: "/").last)
    for id in [tenant, String(goneID)] {
      _ = try await admin(
        fixture, "POST", "\(project)/tenants/\(id)/accounts",
        ["email": "t@x.example", "password": "secret1"])
    }
    _ = try await admin(
      fixture, "PATCH", "v2/projects/demo-luath/tenants/\(tenant)?updateMask=displayName",
      ["displayName": "renamed"])
    _ = try await admin(fixture, "DELETE", "v2/projects/demo-luath/tenants/\(goneID)")
    _ = try await send(
      fixture, "PATCH", "emulator/v1/projects/demo-luath/config",
      ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": false]])
    if rules[.furtherOperations] {
      _ = try await admin(
        fixture, "POST", "v2/projects/demo-luath/oauthIdpConfigs?oauthIdpConfigId=oidc.late",
        [
          "clientId": "c", "clientSecret": "s", "issuer": "http://late.localhost", "enabled": true,
          "responseType": ["code": true],
        ])
    }
    _ = try await send(
      fixture, "POST", "emulator/v1/people", ["email": "late@x.example", "name": "Late"])
    _ = try await send(fixture, "PATCH", "emulator/v1/clock", ["advanceSeconds": 60])
    return (tenant, signedIn, ada["refreshToken"] ?? nil)
  }

  @Test(arguments: [Rules.production, .compatible])
  func `everything that calls can change is there after a kill`(_ rules: Rules) async throws {
    let first = try await scratch.open(rules: rules)
    let (tenant, signedIn, dead) = try await changeEverything(first, rules)
    let before = try await listing(first, rules, tenant: tenant)
    let wreck = try scratch.wreck()
    let second = try await scratch.open(wreck, rules: rules)
    let after = try await listing(second, rules, tenant: tenant)
    // The address of the emulator's own issuers follows it; letters keep the one they were sent with.
    for (path, listed) in before {
      let kept = after[path]?.encoded().replacing(second.origin, with: first.origin)
      #expect(kept == listed.encoded(), "\(path)")
    }
    // Tokens, keys, indexes and hashes work, not only listings.
    #expect(try await second.lookup(signedIn["idToken"]).status == 200)
    let refreshed = try await second.call(
      .token, ["grant_type": "refresh_token", "refresh_token": signedIn["refreshToken"] ?? nil])
    #expect(refreshed.status == 200, "\(refreshed.message)")
    if rules[.revocableSessions] {
      let refused = try await second.call(
        .token, ["grant_type": "refresh_token", "refresh_token": dead ?? nil])
      #expect(refused.error == "TOKEN_EXPIRED")
    }
    for (email, password) in [("ada@x.example", "another one"), ("zoe@x.example", "correct horse")]
    {
      _ = try await client(
        second, "v1/accounts:signInWithPassword",
        ["email": .string(email), "password": .string(password)])
    }
    let found = try await admin(
      second, "POST", "v1/projects/demo-luath/accounts:lookup",
      [
        "phoneNumber": ["+16505550102"],
        "federatedUserId": [["providerId": "google.com", "rawId": "g1"]],
      ])
    #expect(found["users"]?.array?.count == 2)
    #expect(first.clock.advance == 60)
    await first.emulator.stop()
    await second.emulator.stop()
  }

  @Test func `forgetting all accounts is kept too, and leaves other projects alone`() async throws {
    let first = try await scratch.open()
    _ = try await first.signUp("ada@x.example")
    _ = try await admin(first, "POST", "v1/projects/demo/accounts", ["email": "a@x.example"])
    _ = try await send(first, "DELETE", "emulator/v1/projects/demo-luath/accounts")
    let second = try await scratch.open(try scratch.wreck())
    for (project, count) in [("demo-luath", 0), ("demo", 1)] {
      let reply = try await admin(second, "GET", "v1/projects/\(project)/accounts:batchGet")
      #expect((reply["users"]?.array?.count ?? 0) == count)
    }
    await first.emulator.stop()
    await second.emulator.stop()
  }

  @Test func `the tokens of a deleted tenant stay known`() async throws {
    let first = try await scratch.open()
    let made = try await admin(
      first, "POST", "v2/projects/demo-luath/tenants",
      ["displayName": "gone", "allowPasswordSignup": true])
    let tenant = try #require(made["name"]?.string?.split(separator: "/").last.map(String.init))
    let signedUp = try await client(
      first, "v1/accounts:signUp",
      [
        "email": "t@x.example", "password": "secret1", "returnSecureToken": true,
        "tenantId": .string(tenant),
      ])
    _ = try await admin(first, "DELETE", "v2/projects/demo-luath/tenants/\(tenant)")
    let second = try await scratch.open(try scratch.wreck())
    for fixture in [first, second] {
      let refused = try await fixture.call(
        .token,
        ["grant_type": "refresh_token", "refresh_token": signedUp["refreshToken"] ?? nil])
      #expect(refused.error == "TENANT_DELETED")
      #expect(try await fixture.lookup(signedUp["idToken"]).error == "TENANT_DELETED")
    }
    await first.emulator.stop()
    await second.emulator.stop()
  }

  @Test func `an orderly end leaves one file that only its owner can read`() async throws {
    let first = try await scratch.open()
    _ = try await first.signUp("ada@x.example")
    await first.emulator.stop()
    #expect(!FileManager.default.fileExists(atPath: scratch.file + "-wal"))
    let mode = try FileManager.default.attributesOfItem(atPath: scratch.file)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let second = try await scratch.open()
    _ = try await client(
      second, "v1/accounts:signInWithPassword",
      ["email": "ada@x.example", "password": "correct horse"])
    await second.emulator.stop()
  }

  @Test func `a file in use is refused`() async throws {
    let first = try await scratch.open()
    await #expect(throws: Problem.self) { _ = try await scratch.open() }
    _ = try await first.signUp("ada@x.example")
    await first.emulator.stop()
  }

  @Test func `when the file cannot be written no change is acknowledged, and that is told once`()
    async throws
  {
    let failures = Failures()
    let emulator = try Emulator(clock: scratch.clock)
    try await emulator.keepState(in: scratch.file) { failures.add($0) }
    let fixture = Fixture(emulator, port: try await emulator.start())
    _ = try await fixture.signUp("ada@x.example")
    // A commit into a file that nobody can find again would lose what it acknowledges.
    try FileManager.default.moveItem(atPath: scratch.file, toPath: scratch.file + ".away")
    for _ in 0..<2 {
      let refused = try await fixture.call(
        .signUp, ["email": "zoe@x.example", "password": "correct horse"])
      #expect(refused.status == 500)
      #expect(!refused.message.contains(scratch.file))
    }
    #expect(failures.all.count == 1)
    #expect(failures.all.first?.message.contains(scratch.file) == true)
    await emulator.stop()
  }
}
