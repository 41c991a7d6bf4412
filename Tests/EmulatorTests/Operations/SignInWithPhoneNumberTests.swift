@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SignInWithPhoneNumberTests {
  private static let both = [Rules.production, .compatible]
  private let number: JSON = "+15555550100"

  private func signIn(_ emulator: Fixture, _ body: JSONObject) async throws -> Fixture.Reply {
    try await emulator.call(.signInWithPhoneNumber, .object(body))
  }

  @Test(arguments: both)
  func `a number makes an account, then signs in to it`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      var uids: [JSON?] = []
      for isNew in [true, false] {
        let reply = try await signIn(emulator, try await emulator.textMessage(to: number))
        #expect(reply["isNewUser"] == .bool(isNew))
        #expect(reply["phoneNumber"] == number)
        let claims = try emulator.claims(reply["idToken"])
        #expect(claims["phone_number"] == number)
        #expect(claims["firebase"]?["sign_in_provider"] == "phone")
        #expect(claims["firebase"]?["identities"]?["phone"] == [number])
        uids.append(reply["localId"])
      }
      #expect(uids[0] == uids[1])
      #expect(try await emulator.messages().isEmpty)
    }
  }

  @Test(arguments: both)
  func `what is missing or wrong is named`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      for number in [.null, "", "5555550100"] as [JSON]
      where !(number == .null) || rules != .compatible {
        let reply = try await emulator.call(.sendVerificationCode, ["phoneNumber": number])
        #expect(reply.message == "INVALID_PHONE_NUMBER : Invalid format.")
      }
      var body = try await emulator.textMessage(to: number)
      let right = body
      body["sessionInfo"] = nil
      #expect(try await signIn(emulator, body).error == "MISSING_SESSION_INFO")
      body["sessionInfo"] = "unknown"
      #expect(try await signIn(emulator, body).error == "INVALID_SESSION_INFO")
      body["code"] = nil
      #expect(try await signIn(emulator, body).error == "MISSING_CODE")
      let wrong: JSONObject = ["sessionInfo": right["sessionInfo"] ?? .null, "code": "1"]
      #expect(try await signIn(emulator, wrong).error == "INVALID_CODE")
      #expect(try await signIn(emulator, right).status == 200)
      // Production says so of a session it remembers.
      let again = rules == .compatible ? "INVALID_SESSION_INFO" : "SESSION_EXPIRED"
      #expect(try await signIn(emulator, right).error == again)
    }
  }

  @Test func `a code expires, and bears five wrong tries`() async throws {
    try await Fixture.run { emulator in
      let late = try await emulator.textMessage(to: number)
      emulator.clock.advance(bySeconds: 600)
      #expect(try await signIn(emulator, late).error == "SESSION_EXPIRED")
      let guessed = try await emulator.textMessage(to: number)
      var wrong = guessed
      wrong["code"] = "1"
      for _ in 1...5 { #expect(try await signIn(emulator, wrong).error == "INVALID_CODE") }
      #expect(try await signIn(emulator, guessed).error == "SESSION_EXPIRED")
    }
    try await Fixture.run(rules: .compatible) { emulator in
      let sent = try await emulator.textMessage(to: number)
      var wrong = sent
      wrong["code"] = "1"
      for _ in 1...6 { #expect(try await signIn(emulator, wrong).error == "INVALID_CODE") }
      emulator.clock.advance(bySeconds: 86_400)
      #expect(try await signIn(emulator, sent).status == 200)
    }
  }

  @Test(arguments: both)
  func `a number meant for tests always gets its code`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      try await emulator.setConfig(
        "signIn.phoneNumber.testPhoneNumbers",
        ["signIn": ["phoneNumber": ["testPhoneNumbers": ["+15555550100": "246810"]]]])
      let first = try await emulator.textMessage(to: number)
      let second = try await emulator.textMessage(to: number)
      #expect(first["code"] == "246810" && second["code"] == "246810")
      #expect(first["sessionInfo"] != second["sessionInfo"])
      #expect(try await signIn(emulator, first).status == 200)
    }
  }

  @Test(arguments: both)
  func `a number is linked, and replaced by the next`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let made = try await emulator.signUp("ada@b.example")
      var token = made["idToken"] ?? .null
      for number in ["+15555550101", "+15555550102"] as [JSON] {
        var body = try await emulator.textMessage(to: number)
        body["idToken"] = token
        body["operation"] = "LINK"
        let reply = try await signIn(emulator, body)
        #expect(reply["localId"] == made["localId"] && reply["isNewUser"] == false)
        token = reply["idToken"] ?? .null
      }
      let user = try await emulator.user(token)
      #expect(user["phoneNumber"] == "+15555550102")
      #expect(user["providerUserInfo"]?.array?.count == 2)
      let free = try await emulator.admin("accounts:lookup", ["phoneNumber": ["+15555550101"]])
      #expect(free["users"] == nil)
    }
  }

  @Test(arguments: both)
  func `another account's number gives a proof that signs in there`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let owner = try await signIn(emulator, try await emulator.textMessage(to: number))
      var body = try await emulator.textMessage(to: number)
      body["idToken"] = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      let taken = try await signIn(emulator, body)
      #expect(taken.status == 200)
      #expect(taken["idToken"] == nil && taken["temporaryProofExpiresIn"] == "3600")
      var proof: JSONObject = ["temporaryProof": taken["temporaryProof"] ?? .null]
      #expect(try await signIn(emulator, proof).error == "MISSING_PHONE_NUMBER")
      proof["phoneNumber"] = "+15555550199"
      #expect(try await signIn(emulator, proof).error == "INVALID_TEMPORARY_PROOF")
      proof["phoneNumber"] = number
      #expect(try await signIn(emulator, proof)["localId"] == owner["localId"])
      let again = try await signIn(emulator, proof)
      // Measured: a proof signs in more than once.
      #expect(again.status == 200)
    }
  }

  @Test func `a proof does not link a number that another account has, and it expires`()
    async throws
  {
    try await Fixture.run { emulator in
      _ = try await signIn(emulator, try await emulator.textMessage(to: number))
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      for (wait, error) in [(0, "PHONE_NUMBER_EXISTS"), (3600, "INVALID_TEMPORARY_PROOF")] {
        var body = try await emulator.textMessage(to: number)
        body["idToken"] = token
        let proof = try await signIn(emulator, body)["temporaryProof"] ?? .null
        emulator.clock.advance(bySeconds: Int64(wait))
        let reply = try await signIn(
          emulator, ["temporaryProof": proof, "phoneNumber": number, "idToken": token])
        #expect(reply.error == error)
      }
    }
  }

  @Test func `an operation does what it says`() async throws {
    try await Fixture.run { emulator in
      var body = try await emulator.textMessage(to: number)
      body["operation"] = "REAUTH"
      #expect(try await signIn(emulator, body).error == "USER_NOT_FOUND")
      body = try await emulator.textMessage(to: number)
      body["operation"] = "UPDATE"
      #expect(try await signIn(emulator, body).error == "MISSING_ID_TOKEN")
      let made = try await signIn(emulator, try await emulator.textMessage(to: number))
      emulator.clock.advance(bySeconds: 301)
      body = try await emulator.textMessage(to: "+15555550102")
      body["operation"] = "UPDATE"
      body["idToken"] = made["idToken"] ?? .null
      #expect(try await signIn(emulator, body).error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }
  }

  @Test(arguments: both)
  func `tenants have no numbers, and disabled accounts stay closed`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      if rules == .compatible {
        for endpoint in [Endpoint.sendVerificationCode, .signInWithPhoneNumber] {
          let reply = try await emulator.call(endpoint, ["tenantId": "north"])
          #expect(reply.error == "UNSUPPORTED_TENANT_OPERATION")
        }
      }
      let made = try await signIn(emulator, try await emulator.textMessage(to: number))
      _ = try await emulator.admin(
        "accounts:update", ["localId": made["localId"] ?? .null, "disableUser": true])
      let reply = try await signIn(emulator, try await emulator.textMessage(to: number))
      #expect(reply.error == "USER_DISABLED")
    }
  }

  @Test func `a project may allow no numbers, some regions, or only apps it knows`() async throws {
    let ask: JSON = ["phoneNumber": number]
    try await Fixture.run({ $0.providers["phone"] = nil }) { emulator in
      let reply = try await emulator.call(.sendVerificationCode, ask)
      #expect(reply.error == "OPERATION_NOT_ALLOWED")
    }
    try await Fixture.run { emulator in
      try await emulator.setConfig(
        "smsRegionConfig", ["smsRegionConfig": ["allowlistOnly": ["allowedRegions": ["FR"]]]])
      #expect(
        try await emulator.call(.sendVerificationCode, ask).error == "OPERATION_NOT_ALLOWED")
      let french: JSON = ["phoneNumber": "+33123456789"]
      #expect(try await emulator.call(.sendVerificationCode, french).status == 200)
    }
    try await Fixture.run({ $0.requiresAppCredential = true }) { emulator in
      let reply = try await emulator.call(.sendVerificationCode, ask)
      #expect(reply.error == "MISSING_CLIENT_IDENTIFIER")
      let receipt: JSON = ["phoneNumber": number, "iosReceipt": "r"]
      #expect(
        try await emulator.call(.sendVerificationCode, receipt).error == "MISSING_APP_CREDENTIAL")
      let token: JSON = ["phoneNumber": number, "recaptchaToken": "t"]
      #expect(try await emulator.call(.sendVerificationCode, token).status == 200)
    }
  }
}
