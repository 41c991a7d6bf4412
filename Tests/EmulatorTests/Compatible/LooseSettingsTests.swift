@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// Settings, tenants and second factors in the corners where Firebase's emulator checks little.
@Suite(.timeLimit(.minutes(1)))
struct LooseSettingsTests {
  private func config(_ emulator: Fixture) async throws -> Fixture.Reply {
    let path = "identitytoolkit.googleapis.com/v2/projects/demo-luath/config"
    var request = HTTPRequest(
      method: "GET", url: try #require(WebURL("\(emulator.origin)/\(path)")))
    request.headers.set("Authorization", "Bearer owner")
    return try await emulator.send(request)
  }

  @Test func `a whole part named by a mask is stored as it comes`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      try await emulator.configure("signIn", ["signIn": ["email": ["enabled": true]]])
      #expect(try await config(emulator)["signIn"] == ["email": ["enabled": true]])
      try await emulator.configure("emailPrivacyConfig", ["emailPrivacyConfig": [:]])
      #expect(try await config(emulator)["emailPrivacyConfig"] == [:])
      let own = try await emulator.request(
        "PATCH", "emulator/v1/projects/demo-luath/config",
        ["signIn": ["allowDuplicateEmails": true]])
      #expect(own["signIn"] == ["allowDuplicateEmails": true])
      #expect(own["emailPrivacyConfig"] == ["enableImprovedEmailPrivacy": false])
      let shown = try await config(emulator)
      #expect(shown["signIn"] == ["allowDuplicateEmails": true, "email": ["enabled": true]])
    }
  }

  @Test(arguments: ["ftp://host/x", "app:x", "http:host"])
  func `a function is at any address that a browser could read`(_ address: String) async throws {
    try await Fixture.run(rules: .compatible, { try! $0.allowedServers.add("http://host") }) {
      emulator in
      try await emulator.setFunctions(["beforeCreate": address])
      let shown = try await config(emulator)
      #expect(
        shown["blockingFunctions"]?["triggers"]?["beforeCreate"]?["functionUri"]?.string == address)
    }
  }

  @Test func `a tenant in the query is for listings only`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await emulator.request(
        "GET", "identitytoolkit.googleapis.com/v1/projects?key=k&tenantId=t")
      #expect(reply.status == 200)
      #expect(reply["projectId"] == "12345")
    }
  }

  @Test func `a function hears of a second factor before anybody asks whose telephone it was`()
    async throws
  {
    try await FunctionServer.run { functions, origin in
      try await Fixture.run(rules: .compatible) { emulator in
        _ = try await emulator.admin(
          "accounts",
          [
            "localId": "u", "email": "u@b.test", "emailVerified": true,
            "mfaInfo": [["phoneInfo": "+15550001111"]],
          ])
        let sent = try await emulator.call(.sendVerificationCode, ["phoneNumber": "+15550002222"])
        try await emulator.setFunctions(["beforeSignIn": "\(origin)/in"])
        let credential = HandmadeToken.base64([
          "_AuthEmulatorMfaPendingCredential": 1, "localId": "u", "projectId": "demo-luath",
        ])
        let reply = try await emulator.call(
          .finalizeMfaSignIn,
          [
            "mfaPendingCredential": credential,
            "phoneVerificationInfo": [
              "sessionInfo": sent["sessionInfo"] ?? .null, "code": try await emulator.lastCode(),
            ],
          ])
        #expect(reply.message == "MFA_ENROLLMENT_NOT_FOUND")
        let heard = try emulator.claims(await functions.received.first?.body["data"]?["jwt"])
        #expect(heard["sign_in_second_factor"] == "phone")
      }
    }
  }

  @Test func `a passkey of somebody without a name or address is somebody's all the same`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      let guest = try await emulator.call(.signUp)
      let reply = try await emulator.post(
        "identitytoolkit.googleapis.com/v2/accounts/passkeyEnrollment:start",
        ["idToken": guest["idToken"] ?? .null])
      let user = reply["credentialCreationOptions"]?["user"]
      #expect(user?["name"] == "user@example.com")
      #expect(user?["displayName"] == "User")
    }
  }

  @Test func `a form that repeats a field has a list there`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      var request = HTTPRequest(
        method: "POST",
        url: try #require(
          WebURL("\(emulator.origin)/securetoken.googleapis.com/v1/token?key=k")))
      request.headers.set("Content-Type", "application/x-www-form-urlencoded")
      request.body = Array("grant_type=refresh_token&grant_type=x&refresh_token=t".utf8)
      let reply = try await emulator.send(request)
      #expect(reply.message == "Invalid JSON payload received. /grantType must be string")
    }
  }

  @Test func `a readable hash without a salt lets nobody in`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.admin(
        "accounts:batchCreate",
        [
          "users": [
            [
              "localId": "u", "email": "u@b.test",
              "passwordHash": "fakeHash:salt=:password=123456",
            ]
          ]
        ])
      let reply = try await emulator.call(
        .signInWithPassword, ["email": "u@b.test", "password": "123456"])
      #expect(reply.message == "INVALID_PASSWORD")
    }
  }
}
