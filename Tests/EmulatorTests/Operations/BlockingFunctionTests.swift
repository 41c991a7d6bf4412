@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@Suite(.timeLimit(.minutes(1))) struct BlockingFunctionTests {
  private func signUp(_ emulator: Fixture, _ email: String) async throws -> Fixture.Reply {
    try await emulator.call(
      .signUp, ["email": .string(email), "password": "correct horse", "displayName": "Mine"])
  }

  private func exists(_ emulator: Fixture, _ email: String) async throws -> Bool {
    try await emulator.admin("accounts:lookup", ["email": [.string(email)]])["users"] != nil
  }

  @Test func `a function changes a new account, told by a token the project signed`() async throws {
    try await FunctionServer.run { functions, origin in
      try await Fixture.run { emulator in
        await functions.set(
          "/create",
          [
            "userRecord": [
              "updateMask": "displayName,customClaims", "displayName": "Theirs",
              "customClaims": ["role": "guest"], "photoUrl": "http://ignored.example",
            ]
          ])
        try await emulator.setFunctions(["beforeCreate": "\(origin)/create"])
        let reply = try await signUp(emulator, "ada@block.example")
        let claims = try emulator.claims(reply["idToken"])
        #expect(claims["name"] == "Theirs")
        #expect(claims["role"] == "guest")
        #expect(claims["picture"] == nil)
        let received = await functions.received
        #expect(received.map(\.path) == ["/create"])
        let jwt = try JWT(decoding: try #require(received[0].body["data"]?["jwt"]?.string))
        let keys = try await emulator.request(
          "GET",
          "www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com")
        try jwt.verify(try KeySet(json: keys.json), algorithms: [.rs256])
        #expect(jwt.claims["iss"] == "https://securetoken.google.com/demo-luath")
        #expect(jwt.claims["aud"]?.string == "\(origin)/create")
        #expect(jwt.claims["event_type"] == "beforeCreate")
        #expect(jwt.claims["sign_in_method"] == "password")
        #expect(jwt.claims["user_record"]?["display_name"] == "Mine")
        #expect(jwt.claims["sub"] == reply["localId"])
      }
    }
  }

  @Test(arguments: [Rules.compatible, .production])
  func `an account refused before its first sign-in stays`(
    rules: Rules
  ) async throws {
    try await FunctionServer.run { functions, origin in
      try await Fixture.run(rules: rules) { emulator in
        await functions.set("/in", status: 403, ["error": ["message": "not today"]])
        try await emulator.setFunctions(["beforeSignIn": "\(origin)/in"])
        let reply = try await signUp(emulator, "bob@block.example")
        #expect(
          reply.message
            == "BLOCKING_FUNCTION_ERROR_RESPONSE : "
            + (rules == .production
              ? #"HTTP Cloud Function returned an error: {"error":{"message":"not today"}}"#
              : "((HTTP request to \(origin)/in returned "
                + #"HTTP error 403: {"error":{"message":"not today"}}))"#))
        #expect(try await exists(emulator, "bob@block.example"))
        await functions.set("/in", status: 503, [:])
        let outage = try await emulator.signIn("bob@block.example")
        #expect(outage.status == (rules == .production ? 503 : 400))
        if rules == .production { #expect(outage.message == "Error code: 47") }
      }
    }
  }

  @Test(arguments: [Rules.compatible, .production])
  func `an address taken while a function thinks is refused`(rules: Rules) async throws {
    try await FunctionServer.run { functions, origin in
      try await Fixture.run(rules: rules) { emulator in
        try await emulator.setFunctions(["beforeCreate": "\(origin)/create"])
        let url = try #require(
          WebURL(
            "\(emulator.origin)/identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts"))
        let rival = HTTPRequest.post(
          url, json: ["email": "cy@block.example"], headers: ["Authorization": "Bearer owner"])
        let client = HTTPClient(loop: functions.loop)
        await functions.interrupt { [sender = Sender(client: client)] in
          _ = try? await sender.client.send(rival)
        }
        #expect(try await signUp(emulator, "cy@block.example").error == "EMAIL_EXISTS")
        let kept = try await emulator.admin(
          "accounts:lookup", ["email": ["cy@block.example"]])
        #expect(kept["users"]?[0]?["displayName"] == nil)
      }
    }
  }

  @Test func `claims of the session go with its refresh token, not with the account`() async throws
  {
    try await FunctionServer.run { functions, origin in
      try await Fixture.run { emulator in
        _ = try await emulator.signUp("di@block.example")
        await functions.set(
          "/in", ["userRecord": ["updateMask": "sessionClaims", "sessionClaims": ["n": 1]]])
        try await emulator.setFunctions(["beforeSignIn": "\(origin)/in"])
        let reply = try await emulator.signIn("di@block.example")
        #expect(try emulator.claims(reply["idToken"])["n"] == 1)
        let refreshed = try await emulator.call(
          .token, ["grantType": "refresh_token", "refreshToken": reply["refreshToken"] ?? .null])
        #expect(try emulator.claims(refreshed["id_token"])["n"] == 1)
        #expect(try await emulator.user(reply["idToken"])["customAttributes"] == nil)
        #expect(await functions.received.count == 1)
        await functions.set(
          "/in", ["userRecord": ["updateMask": "sessionClaims", "sessionClaims": ["sub": "x"]]])
        let refused = try await emulator.signIn("di@block.example")
        #expect(refused.message == "FORBIDDEN_CLAIM : sub")
      }
    }
  }

  @Test func `a function is asked about e-mails and SMS, but not about numbers for tests`()
    async throws
  {
    try await FunctionServer.run { functions, origin in
      try await Fixture.run { emulator in
        _ = try await emulator.signUp("hal@block.example")
        try await emulator.setFunctions([
          "beforeSendEmail": "\(origin)/mail", "beforeSendSms": "\(origin)/sms",
        ])
        func reset() async throws -> Fixture.Reply {
          try await emulator.call(
            .sendOobCode, ["requestType": "PASSWORD_RESET", "email": "hal@block.example"])
        }
        #expect(try await reset().status == 200)
        let jwt = await functions.received.first?.body["data"]?["jwt"]
        let claims = try emulator.claims(jwt)
        #expect(claims["event_type"] == "beforeSendEmail")
        #expect(claims["email_type"] == "PASSWORD_RESET")
        #expect(claims["email"] == "hal@block.example")
        #expect(claims["user_record"] == nil)
        #expect(try await emulator.letters().count == 1)
        await functions.set("/mail", ["recaptchaActionOverride": "BLOCK"])
        #expect(try await reset().status == 200)
        #expect(try await emulator.letters().count == 1)
        await functions.set("/mail", status: 403, ["error": ["message": "no"]])
        #expect(try await reset().error == "BLOCKING_FUNCTION_ERROR_RESPONSE")
        await functions.set("/sms", status: 403, ["error": ["message": "no"]])
        let sms = try await emulator.call(
          .sendVerificationCode, ["phoneNumber": "+16505550177"])
        #expect(sms.error == "BLOCKING_FUNCTION_ERROR_RESPONSE")
        try await emulator.configure(
          "signIn.phoneNumber.testPhoneNumbers",
          ["signIn": ["phoneNumber": ["testPhoneNumbers": ["+16505550177": "123456"]]]])
        let test = try await emulator.call(
          .sendVerificationCode, ["phoneNumber": "+16505550177"])
        #expect(test.status == 200)
      }
    }
  }

  @Test func `what is no answer is told apart`() async throws {
    try await FunctionServer.run { functions, origin in
      try await Fixture.run { emulator in
        _ = try await emulator.signUp("ed@block.example")
        try await emulator.setFunctions(["beforeSignIn": "\(origin)/in"])
        await functions.set("/in", ["userRecord": ["displayName": "x"]])
        let unmasked = try await emulator.signIn("ed@block.example")
        #expect(unmasked.status == 400)
        #expect(
          unmasked.message
            == "BLOCKING_FUNCTION_ERROR_RESPONSE : ((Response UserRecord is missing updateMask.))")
        await functions.set("/in", text: "yes")
        let text = try await emulator.signIn("ed@block.example")
        #expect(text.status == 500)
        #expect(
          text.message
            == "BLOCKING_FUNCTION_ERROR_RESPONSE : ((Response body is not valid JSON.))")
        await functions.close()
        let gone = try await emulator.signIn("ed@block.example")
        #expect(gone.status == 500)
        #expect(
          gone.message
            == "BLOCKING_FUNCTION_ERROR_RESPONSE : ((Failed to make request to \(origin)/in.))")
      }
    }
  }

  @Test func `with a second factor the function is asked when that is proved`() async throws {
    try await FunctionServer.run { functions, origin in
      try await Fixture.run { emulator in
        let (_, idToken) = try await emulator.verified("flo@block.example")
        let totp = try await emulator.enrollApp(idToken)
        emulator.clock.advance(bySeconds: 30)
        try await emulator.setFunctions(["beforeSignIn": "\(origin)/in"])
        let first = try await emulator.signIn("flo@block.example")
        #expect(await functions.received.isEmpty)
        let ended = try await emulator.call(
          .finalizeMfaSignIn,
          [
            "mfaPendingCredential": first["mfaPendingCredential"] ?? .null,
            "mfaEnrollmentId": first["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null,
            "totpVerificationInfo": ["verificationCode": .string(emulator.code(of: totp))],
          ])
        #expect(ended.status == 200)
        let jwt = await functions.received.first?.body["data"]?["jwt"]
        let claims = try emulator.claims(jwt)
        #expect(claims["sign_in_second_factor"] == "totp")
        #expect(
          claims["user_record"]?["multi_factor"]?["enrolled_factors"]?[0]?["factor_id"] == "totp")
      }
    }
  }

  @Test func `the Functions emulator hears of new and deleted accounts`() async throws {
    try await FunctionServer.run { functions, origin in
      try await Fixture.run(rules: .compatible) { emulator in
        await emulator.emulator.tellFunctions(at: try #require(WebURL(origin)))
        let claims: JSON = [
          "sub": "g-1", "email": "gus@block.example", "picture": "http://p.example/1",
        ]
        let fields = FormFields([("providerId", "google.com"), ("id_token", claims.encoded())])
        let made = try await emulator.call(
          .signInWithIdp,
          ["requestUri": "http://localhost", "postBody": .string(fields.encoded)])
        let event = await functions.first()
        #expect(event.path == "/functions/projects/demo-luath/trigger_multicast")
        #expect(event.body["eventType"] == "providers/firebase.auth/eventTypes/user.create")
        let data = event.body["data"]
        #expect(data?["uid"] == made["localId"])
        #expect(data?["email"] == "gus@block.example")
        #expect(data?["photoURL"] == "http://p.example/1")
        let provider = data?["providerData"]?[0]
        #expect(provider?["uid"] == "g-1")
        #expect(provider?["providerId"] == "google.com")
        #expect(provider?["photoURL"] == "http://p.example/1")
        #expect(provider?["photoUrl"] == nil)
      }
    }
  }
}

/// Unchecked, because the client is used by one task only.
private struct Sender: @unchecked Sendable {
  let client: HTTPClient
}
