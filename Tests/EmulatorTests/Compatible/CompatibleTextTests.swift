@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

/// Texts, keys and numbers under the rules of Firebase's emulator, which are those of JavaScript.
@Suite(.timeLimit(.minutes(1))) struct CompatibleTextTests {
  @Test(
    arguments: [
      ("ΟΔΟΣ@x.y", "οδος@x.y"), ("ΣΟΦΟΣ@ΟΔΟΣ", "σοφος@οδος"), ("Σ@x.y", "σ@x.y"),
      ("ΑΣ.Σ@x.y", "ασ.ς@x.y"), ("ΑΣ'Β@x.y", "ασ'β@x.y"), ("1Σ@x.y", "1σ@x.y"),
      ("ΑΣ\u{301}@x.y", "ας\u{301}@x.y"), ("İ@x.y", "i\u{307}@x.y"), ("\u{212A}@x.y", "k@x.y"),
    ])
  func `an address is lowered as JavaScript does`(given: String, kept: String) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let made = try await fixture.call(
        .signUp, ["email": .string(given), "password": "secret1"])
      #expect(made["email"] == .string(kept))
      let again = try await fixture.call(
        .signInWithPassword, ["email": .string(given), "password": "secret1"])
      #expect(again["localId"] == made["localId"])
      let claims: JSON = ["sub": "s", "email": .string(given), "email_verified": true]
      let federated = try await fixture.call(
        .signInWithIdp,
        [
          "requestUri": "http://localhost",
          "postBody": .string(
            FormFields([("providerId", "oidc.ΟΔΟΣ"), ("id_token", claims.encoded())]).encoded),
        ])
      #expect(federated["email"] == .string(kept))
      #expect(federated["providerId"] == "oidc.οδος")
    }
  }

  @Test(arguments: [
    "dısplayName", "DİSPLAY_NAME", "dísplayÑame", "dis\u{300}play_name", "dis'playName",
    "dis\u{2019}playName", "\u{A0}display\u{200B}name", "diſplay-name",
  ])
  func `a key is read in the letters A to Z`(key: String) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let made = try await fixture.admin("accounts", [key: "Ada"])
      #expect(made["displayName"] == "Ada", "\(made.json.encoded())")
    }
    try await Fixture.run { fixture in
      let made = try await fixture.admin("accounts", [key: "Ada"])
      #expect(made["displayName"] == nil)
    }
  }

  @Test(
    arguments: [
      ("accounts:update", ["validSince": 1.5], "/validSince", "int64"),
      ("accounts:update", ["createdAt": -0.5], "/createdAt", "int64"),
      ("accounts:batchCreate", ["users": [["lastLoginAt": 1.5]]], "/users/0/lastLoginAt", "int64"),
      ("accounts:batchCreate", ["rounds": 1e30], "/rounds", "int32"),
      ("accounts:batchCreate", ["memoryCost": 2_147_483_648], "/memoryCost", "int32"),
      (
        "accounts:batchCreate", ["users": [["version": -2_147_483_649]]], "/users/0/version",
        "int32"
      ),
    ] as [(String, JSON, String, String)])
  func `a number must fit its format`(
    path: String, body: JSON, place: String, format: String
  ) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let reply = try await fixture.admin(path, body)
      #expect(reply.status == 400)
      #expect(
        reply.message
          == "Invalid JSON payload received. \(place) must match format \"\(format)\"")
    }
  }

  @Test func `whole numbers of any size are 64-bit fields, and fractions no integers`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { fixture in
      _ = try await fixture.admin("accounts", ["localId": "a"])
      let update = try await fixture.admin(
        "accounts:update", ["localId": "a", "createdAt": 1e30, "lastLoginAt": 5.0])
      #expect(update.status == 200)
      let user = try await fixture.admin("accounts:lookup", ["localId": ["a"]])["users"]?[0]
      #expect(user?["createdAt"] == "1e+30")
      #expect(user?["lastLoginAt"] == "5")
      let fraction = try await fixture.admin("accounts:batchCreate", ["rounds": 1.5])
      #expect(fraction.message.hasSuffix("/rounds must be integer"))
      let largest = try await fixture.admin("accounts:batchCreate", ["rounds": 2_147_483_647])
      #expect(largest.error == "MISSING_USER_ACCOUNT")
    }
  }
}
