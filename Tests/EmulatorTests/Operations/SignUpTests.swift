@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SignUpTests {
  @Test func `an address and a password make an account and sign it in`() async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.signUp("Ada@Contoso.example")
      #expect(reply["email"] == "ada@contoso.example")
      #expect(reply["expiresIn"] == "3600")
      let user = try await emulator.user(reply["idToken"])
      #expect(user["localId"] == reply["localId"])
      #expect(user["emailVerified"] == false)
      #expect(user["providerUserInfo"]?[0]?["providerId"] == "password")
      #expect(reply["localId"]?.string?.utf8.count == 28)
    }
  }

  @Test func `no fields make an anonymous account`() async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.call(.signUp, ["returnSecureToken": true])
      #expect(reply.status == 200)
      #expect(reply["email"] == nil)
      let claims = try emulator.claims(reply["idToken"])
      #expect(claims["provider_id"] == "anonymous")
      #expect(claims["firebase"]?["sign_in_provider"] == "anonymous")
    }
  }

  @Test(
    arguments: [
      (["email": "a@b.example", "password": "12345"], "WEAK_PASSWORD"),
      (["email": "a@b.example"], "MISSING_PASSWORD"),
      (["password": "123456"], "MISSING_EMAIL"),
      (["email": "", "password": "123456"], "MISSING_EMAIL"),
      (["email": "a@@b.example", "password": "123456"], "INVALID_EMAIL"),
      (["email": "a b@b.example", "password": "123456"], "INVALID_EMAIL"),
      (["email": "@b.example", "password": "123456"], "INVALID_EMAIL"),
      (["email": "taken@b.example", "password": "123456"], "EMAIL_EXISTS"),
      (["email": "a@b.example", "password": "123456", "idToken": "x.y.z"], "INVALID_ID_TOKEN"),
      (["localId": "mine"], "UNEXPECTED_PARAMETER"),
    ] as [(JSON, String)])
  func `bad fields are refused by name`(body: JSON, error: String) async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("taken@b.example")
      let reply = try await emulator.call(.signUp, body)
      #expect(reply.status == 400)
      #expect(reply.error == error)
    }
  }

  @Test func `an id token adds a password to an anonymous account and keeps its uid`() async throws
  {
    try await Fixture.run { emulator in
      let anonymous = try await emulator.call(.signUp)
      emulator.clock.advance(bySeconds: 60)
      let linked = try await emulator.call(
        .signUp,
        [
          "idToken": anonymous["idToken"] ?? .null, "email": "ada@b.example",
          "password": "correct horse",
        ])
      #expect(linked["localId"] == anonymous["localId"])
      // The password ends no session, neither the one that asked for it nor its refreshed one.
      for tokens in [anonymous, linked] {
        #expect(try await emulator.user(tokens["idToken"])["email"] == "ada@b.example")
        let refreshed = try await emulator.call(
          .token, ["grantType": "refresh_token", "refreshToken": tokens["refreshToken"] ?? .null])
        #expect(refreshed["user_id"] == anonymous["localId"])
      }
      let back = try await emulator.call(
        .signInWithPassword, ["email": "ada@b.example", "password": "correct horse"])
      #expect(back["localId"] == anonymous["localId"])
    }
  }

  @Test func `a password for an account that has another way in needs a recent sign-in`()
    async throws
  {
    try await Fixture.run { emulator in
      let reply = try await emulator.signUp("ada@b.example")
      emulator.clock.advance(bySeconds: 301)
      let late = try await emulator.call(
        .signUp,
        ["idToken": reply["idToken"] ?? .null, "email": "ada@b.example", "password": "another one"])
      #expect(late.error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }
  }

  @Test func `providers that are off are refused`() async throws {
    try await Fixture.run({
      $0.providers["password"]?.isEnabled = false
      $0.providers["anonymous"]?.isEnabled = false
    }) { emulator in
      let password = try await emulator.call(
        .signUp, ["email": "a@b.example", "password": "123456"])
      #expect(password.error == "OPERATION_NOT_ALLOWED")
      #expect(try await emulator.call(.signUp).error == "ADMIN_ONLY_OPERATION")
    }
  }

  @Test func `an administrator chooses the uid`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.admin("accounts", ["localId": "mine", "email": "a@b.example"])
      #expect(made["localId"] == "mine")
      #expect(made["idToken"] == nil)
      #expect(
        try await emulator.admin("accounts", ["localId": "mine"]).error == "DUPLICATE_LOCAL_ID")
    }
  }

  @Test func `uids that differ only in Unicode form are two accounts`() async throws {
    try await Fixture.run { emulator in
      for uid in ["caf\u{E9}", "cafe\u{301}"] as [JSON] {
        let reply = try await emulator.admin("accounts", ["localId": uid])
        #expect(reply.status == 200)
      }
    }
  }
}
