@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@testable import Emulator

/// `--data`: accounts go into Firebase's folder and come back whole.
@Suite(.timeLimit(.minutes(1))) struct EmulatorExportTests {
  private let scratch: ExportScratch

  init() throws {
    scratch = try ExportScratch()
  }

  private func run(
    _ rules: Rules, _ body: (Fixture) async throws -> Void
  ) async throws {
    try await Fixture.run(rules: rules, { _ in }, body)
  }

  private func fill(_ fixture: Fixture) async throws {
    let ada = try await fixture.signUp("ada@x.example")
    _ = try await fixture.call(.signUp)
    let enrolled: JSON = [
      "enrollments": [
        ["mfaEnrollmentId": "m1", "phoneInfo": "+16505550101", "displayName": "work"]
      ]
    ]
    let changed = try await fixture.admin(
      "accounts:update",
      [
        "localId": ada["localId"] ?? nil, "displayName": "Ada", "phoneNumber": "+16505550102",
        "emailVerified": true, "customAttributes": #"{"role":"admin"}"#, "mfa": enrolled,
        "linkProviderUserInfo": [
          "providerId": "google.com", "rawId": "g2", "email": "a@g.example", "screenName": "ada",
        ],
      ])
    try #require(changed.status == 200, "\(changed.message)")
    let tenant = try await fixture.post(
      "identitytoolkit.googleapis.com/v2/projects/demo-luath/tenants",
      ["displayName": "tenant", "allowPasswordSignup": true], key: nil,
      headers: ["Authorization": "Bearer owner"])
    let id = try #require(tenant["name"]?.string?.split(separator: "/").last)
    let made = try await fixture.admin(
      "tenants/\(id)/accounts",
      [
        "email": "t@x.example", "password": "secret1", "displayName": "T",
        "photoUrl": "https://p.example", "phoneNumber": "+16505550103",
      ])
    try #require(made.status == 200, "\(made.message)")
  }

  @Test(arguments: [Rules.production, .compatible])
  func `accounts, second factors, tenants and passwords come back`(_ rules: Rules) async throws {
    var export = ExportedProject(users: [], config: nil)
    try await run(rules) { fixture in
      try await fill(fixture)
      export = await fixture.emulator.exported()
      try ExportFolder.write(export, to: scratch.export, version: "1")
    }
    #expect(export.users.count == 2)
    #expect(export.users.contains { $0["mfaInfo"]?[0]?["phoneInfo"]?.string == "+16505550101" })
    #expect(export.tenants.first?.users.first?["photoUrl"]?.string == "https://p.example")
    try await run(rules) { fixture in
      try await fixture.emulator.load(try ExportFolder.read(scratch.export))
      #expect(await fixture.emulator.exported() == export)
      let signedIn = try await fixture.call(
        .signInWithPassword, ["email": "ada@x.example", "password": "correct horse"])
      #expect(signedIn.status == 200, "\(signedIn.message)")
      #expect(signedIn["mfaPendingCredential"] != nil)
      let tenant = try await fixture.call(
        .signInWithPassword,
        [
          "email": "t@x.example", "password": "secret1",
          "tenantId": .string(export.tenants[0].id),
        ])
      #expect(tenant.status == 200, "\(tenant.message)")
    }
  }

  @Test func `most accounts need nothing beside Firebase's files`() async throws {
    try await run(.compatible) { fixture in
      _ = try await fixture.signUp("ada@x.example")
      _ = try await fixture.call(.signUp)
      #expect(await fixture.emulator.exported().further == nil)
    }
  }

  @Test func `an account that somebody changed in the file counts as it is there`() async throws {
    try await run(.production) { fixture in
      _ = try await fixture.signUp("ada@x.example")
      var account = Account(uid: "totp")
      account.factors = [SecondFactor(id: "f", totpSecret: Secret("GEZDGNBVGY3TQOJQ"))]
      var export = await fixture.emulator.exported()
      export.users.append(account.wire(showsHash: true, tenantID: nil, .production))
      export.further = [
        "users": ["totp": .object(account.record { _ in 1 })]
      ]
      try await fixture.emulator.load(export)
      #expect(await fixture.emulator.exported().further?["users"]?["totp"] != nil)
      guard case .object(var edited) = export.users[1] else { return }
      edited["displayName"] = "edited"
      export.users[1] = .object(edited)
      try await fixture.emulator.load(export)
      let again = await fixture.emulator.exported()
      let totp = again.users.first { $0["localId"]?.string == "totp" }
      #expect(totp?["displayName"]?.string == "edited")
      #expect(again.further?["users"]?["totp"] == nil)
    }
  }

  @Test(arguments: [
    ExportedProject(users: [["localId": "a"], ["email": "x@y.example"]], config: nil),
    ExportedProject(users: [["localId": "a"]], config: ["signIn": "yes"]),
    ExportedProject(users: [["localId": "a"]], config: nil, further: ["hashings": ["1": [:]]]),
  ])
  func `a broken export changes nothing`(_ export: ExportedProject) async throws {
    try await run(.compatible) { fixture in
      await #expect(throws: Problem.self) { try await fixture.emulator.load(export) }
      #expect(await fixture.emulator.isEmpty)
    }
  }
}
