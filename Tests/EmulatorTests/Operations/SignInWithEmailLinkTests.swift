@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SignInWithEmailLinkTests {
  private static let both = [Rules.production, .compatible]

  private func linkCode(_ emulator: Fixture, _ email: JSON = "ada@b.example") async throws -> JSON {
    let reply = try await emulator.call(
      .sendOobCode,
      ["requestType": "EMAIL_SIGNIN", "email": email, "continueUrl": "http://localhost/"])
    try #require(reply.status == 200, "\(reply.message)")
    return try await emulator.newestCode()
  }

  @Test(arguments: both)
  func `a link makes an account, then signs in to it, each link once`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      var uids: [JSON?] = []
      for isNew in [true, false] {
        let body: JSON = [
          "email": "ADA@b.example", "oobCode": try await linkCode(emulator, "Ada@b.example"),
        ]
        let reply = try await emulator.call(.signInWithEmailLink, body)
        #expect(reply.status == 200, "\(reply.message)")
        #expect(reply["isNewUser"] == .bool(isNew))
        #expect(reply["email"] == "ada@b.example")
        let claims = try emulator.claims(reply["idToken"])
        #expect(claims["email_verified"] == true)
        #expect(claims["firebase"]?["sign_in_provider"] == "password")
        uids.append(reply["localId"])
        #expect(
          try await emulator.call(.signInWithEmailLink, body).error == "INVALID_OOB_CODE")
      }
      #expect(uids[0] == uids[1])
    }
  }

  @Test(arguments: both)
  func `a link is good only for the address it went to`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let code = try await linkCode(emulator)
      let cases: [(JSON, String)] = [
        (["oobCode": code], "MISSING_EMAIL"), (["email": "ada@b.example"], "MISSING_OOB_CODE"),
        (["email": "ada@b.example", "oobCode": "x"], "INVALID_OOB_CODE"),
        (["email": "eve@b.example", "oobCode": code], "INVALID_EMAIL"),
      ]
      for (body, error) in cases {
        #expect(try await emulator.call(.signInWithEmailLink, body).error == error)
      }
      let right: JSON = ["email": "ada@b.example", "oobCode": code]
      #expect(try await emulator.call(.signInWithEmailLink, right).status == 200)
    }
  }

  @Test(arguments: both)
  func `with an ID token the address is given to the account that is signed in`(rules: Rules)
    async throws
  {
    try await Fixture.run(rules: rules) { emulator in
      let guest = try await emulator.call(.signUp, ["returnSecureToken": true])
      let token = guest["idToken"] ?? .null
      let reply = try await emulator.call(
        .signInWithEmailLink,
        ["email": "ada@b.example", "oobCode": try await linkCode(emulator), "idToken": token])
      #expect(reply["localId"] == guest["localId"])
      #expect(reply["isNewUser"] == false)
      let user = try await emulator.user(reply["idToken"])
      #expect(user["email"] == "ada@b.example" && user["emailVerified"] == true)
      #expect(user["providerUserInfo"]?[0]?["providerId"] == "password")
      let other = try await emulator.call(.signUp, ["returnSecureToken": true])
      let taken = try await emulator.call(
        .signInWithEmailLink,
        [
          "email": "ada@b.example", "oobCode": try await linkCode(emulator),
          "idToken": other["idToken"] ?? .null,
        ])
      #expect(taken.error == "EMAIL_EXISTS")
    }
  }

  @Test(arguments: both)
  func `a disabled account stays closed, and its link is used up`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let uid = try await emulator.signUp("ada@b.example")["localId"] ?? .null
      let code = try await linkCode(emulator)
      _ = try await emulator.admin("accounts:update", ["localId": uid, "disableUser": true])
      let body: JSON = ["email": "ada@b.example", "oobCode": code]
      #expect(try await emulator.call(.signInWithEmailLink, body).error == "USER_DISABLED")
      #expect(try await emulator.call(.signInWithEmailLink, body).error == "INVALID_OOB_CODE")
    }
  }

  @Test func `whoever proves to own the address ends a password that nobody had proved`()
    async throws
  {
    for rules in Self.both {
      try await Fixture.run(rules: rules) { emulator in
        _ = try await emulator.signUp("ada@b.example", "the squatter's")
        _ = try await emulator.call(
          .signInWithEmailLink,
          ["email": "ada@b.example", "oobCode": try await linkCode(emulator)])
        let old = try await emulator.call(
          .signInWithPassword, ["email": "ada@b.example", "password": "the squatter's"])
        #expect((old.status == 200) == (rules == .compatible))
      }
    }
  }

  @Test func `a link expires after six hours, and a project can do without links`() async throws {
    try await Fixture.run { emulator in
      let code = try await linkCode(emulator)
      emulator.clock.advance(bySeconds: 6 * 3600)
      let late = try await emulator.call(
        .signInWithEmailLink, ["email": "ada@b.example", "oobCode": code])
      #expect(late.error == "EXPIRED_OOB_CODE")
    }
    try await Fixture.run({ $0.isEmailLinkEnabled = false }) { emulator in
      let ask = try await emulator.call(
        .sendOobCode, ["requestType": "EMAIL_SIGNIN", "email": "ada@b.example"])
      #expect(ask.error == "OPERATION_NOT_ALLOWED")
    }
  }
}
