@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SendOobCodeTests {
  private static let both = [Rules.production, .compatible]

  @Test(arguments: both)
  func `each kind of letter has a link that says what it is for`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      let requests: [(JSON, String)] = [
        (["requestType": "PASSWORD_RESET", "email": "ADA@b.example"], "resetPassword"),
        (
          [
            "requestType": "EMAIL_SIGNIN", "email": "Ada@b.example",
            "continueUrl": "http://localhost/",
          ], "signIn"
        ),
        (["requestType": "VERIFY_EMAIL", "idToken": token], "verifyEmail"),
        (
          [
            "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "New@b.example",
          ],
          "verifyAndChangeEmail"
        ),
      ]
      for (body, mode) in requests {
        let reply = try await emulator.call(.sendOobCode, body)
        #expect(reply.status == 200, "\(reply.message)")
        #expect(reply["email"] == "ada@b.example")
        #expect(reply["oobCode"] == nil && reply["oobLink"] == nil)
        let fields = try await emulator.newestLink().fields
        #expect(fields["mode"] == mode)
        #expect(fields["oobCode"] == (try await emulator.newestCode().string))
        #expect(fields["apiKey"] == "fake-api-key")
      }
      let letters = try await emulator.letters()
      #expect(letters.map { $0["email"] } == Array(repeating: "ada@b.example", count: 4))
      #expect(letters.map { $0["newEmail"] } == [nil, nil, nil, "new@b.example"])
    }
  }

  @Test(
    arguments: [
      ([:], "MISSING_REQ_TYPE"), (["requestType": 0], "MISSING_REQ_TYPE"),
      (["requestType": "PASSWORD_RESET"], "MISSING_EMAIL"),
      (["requestType": "PASSWORD_RESET", "email": "no@b.example"], "EMAIL_NOT_FOUND"),
      (["requestType": "EMAIL_SIGNIN", "email": ""], "MISSING_EMAIL"),
      (["requestType": "VERIFY_EMAIL", "email": "ada@b.example"], "INVALID_ID_TOKEN"),
      (["requestType": "VERIFY_AND_CHANGE_EMAIL"], "MISSING_NEW_EMAIL"),
      (["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "n@b.example"], "MISSING_ID_TOKEN"),
      (
        ["requestType": "PASSWORD_RESET", "email": "ada@b.example", "returnOobLink": true],
        "INSUFFICIENT_PERMISSION"
      ),
      (["requestType": "PASSWORD_RESET", "continueUrl": "/home"], "INVALID_CONTINUE_URI"),
      (["requestType": "RECOVER_EMAIL", "email": "ada@b.example"], "RECOVER_EMAIL"),
    ] as [(JSON, String)])
  func `a request that lacks something is refused in Firebase's order`(body: JSON, error: String)
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.signUp("ada@b.example")
      #expect(try await emulator.call(.sendOobCode, body).error == error)
      #expect(try await emulator.letters().isEmpty)
    }
  }

  @Test(arguments: both)
  func `an administrator has the link in the answer`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      _ = try await emulator.signUp("ada@b.example")
      let reply = try await emulator.admin(
        "accounts:sendOobCode",
        ["requestType": "VERIFY_EMAIL", "email": "Ada@b.example", "returnOobLink": true])
      let letter = try #require(try await emulator.letters().last)
      #expect(reply["oobLink"] == letter["oobLink"])
      #expect(reply["oobCode"] == letter["oobCode"])
      let unknown = try await emulator.admin(
        "accounts:sendOobCode",
        ["requestType": "VERIFY_EMAIL", "email": "no@b.example", "returnOobLink": true])
      #expect(unknown.error == "USER_NOT_FOUND")
    }
  }

  @Test func `a link leads on to an authorized domain only, but anywhere in Firebase's emulator`()
    async throws
  {
    let body: JSON = [
      "requestType": "EMAIL_SIGNIN", "email": "ada@b.example",
      "continueUrl": "https://elsewhere.example/",
    ]
    try await Fixture.run { emulator in
      let reply = try await emulator.call(.sendOobCode, body)
      #expect(reply.error == "UNAUTHORIZED_DOMAIN")
      let custom: JSON = [
        "requestType": "EMAIL_SIGNIN", "email": "ada@b.example", "continueUrl": "app://home",
      ]
      #expect(try await emulator.call(.sendOobCode, custom).error == "INVALID_CONTINUE_URI")
    }
    try await Fixture.run({ $0.authorizedDomains.append("Elsewhere.example") }) { emulator in
      let reply = try await emulator.call(.sendOobCode, body)
      #expect(reply.status == 200)
      #expect(try await emulator.newestLink().fields["continueUrl"] == "https://elsewhere.example/")
    }
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await emulator.call(.sendOobCode, body)
      #expect(reply.status == 200)
    }
  }

  @Test(arguments: [(Rules.production, "fr-CA"), (.compatible, "en")])
  func `a letter is in the language asked for, and in English in Firebase's emulator`(
    rules: Rules, language: String
  ) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let body: JSON = [
        "requestType": "EMAIL_SIGNIN", "email": "ada@b.example",
        "continueUrl": "http://localhost/",
      ]
      _ = try await emulator.post(
        "identitytoolkit.googleapis.com/v1/accounts:sendOobCode", body,
        headers: ["X-Firebase-Locale": "fr-CA"])
      #expect(try await emulator.newestLink().fields["lang"] == language)
      _ = try await emulator.call(.sendOobCode, body)
      #expect(try await emulator.newestLink().fields["lang"] == "en")
    }
  }

  @Test(
    arguments: [
      (["canHandleCodeInApp": true], "MISSING_CONTINUE_URI"),
      (["iOSAppStoreId": "1"], "MISSING_IOS_BUNDLE_ID"),
      (["linkDomain": "elsewhere.example"], "INVALID_HOSTING_LINK_DOMAIN"),
    ] as [(JSONObject, String)])
  func `a link that opens an app must say which`(more: JSONObject, error: String) async throws {
    var body: JSONObject = ["requestType": "EMAIL_SIGNIN", "email": "ada@b.example"]
    for (name, value) in more.entries { body[name] = value }
    try await Fixture.run { emulator in
      let reply = try await emulator.call(.sendOobCode, .object(body))
      #expect(reply.error == error)
    }
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await emulator.call(.sendOobCode, .object(body))
      #expect(reply.status == 200)
    }
  }

  @Test(
    arguments: [["androidInstallApp": true], ["androidMinimumVersion": "12"]] as [JSONObject],
    [Rules.production, .compatible])
  func `what is said of an Android app without its name is ignored`(
    more: JSONObject, rules: Rules
  ) async throws {
    var body: JSONObject = [
      "requestType": "EMAIL_SIGNIN", "email": "ada@b.example", "continueUrl": "http://localhost/",
    ]
    for (name, value) in more.entries { body[name] = value }
    try await Fixture.run(rules: rules) { emulator in
      let reply = try await emulator.call(.sendOobCode, .object(body))
      #expect(reply.status == 200, "\(reply.message)")
      let link = try await emulator.newestLink().fields
      #expect(link["mode"] == "signIn" && link["continueUrl"] == "http://localhost/")
    }
  }

  @Test func `with enumeration protection nobody learns which addresses are taken`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("taken@b.example")
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      let reset = try await emulator.call(
        .sendOobCode, ["requestType": "PASSWORD_RESET", "email": "no@b.example"])
      #expect(reset["email"] == "no@b.example")
      let change = try await emulator.call(
        .sendOobCode,
        ["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "taken@b.example"])
      #expect(change.status == 200)
      #expect(try await emulator.letters().isEmpty)
    }
    try await Fixture.run({ $0.enumerationProtection = false }) { emulator in
      _ = try await emulator.signUp("taken@b.example")
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      let change = try await emulator.call(
        .sendOobCode,
        ["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "TAKEN@b.example"])
      #expect(change.error == "EMAIL_EXISTS")
    }
  }

  @Test func `a change of address needs a recent sign-in`() async throws {
    try await Fixture.run { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      emulator.clock.advance(bySeconds: 301)
      let reply = try await emulator.call(
        .sendOobCode,
        ["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "n@b.example"])
      #expect(reply.error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
      let verify = try await emulator.call(
        .sendOobCode, ["requestType": "VERIFY_EMAIL", "idToken": token])
      #expect(verify.status == 200)
    }
  }

  @Test(arguments: both)
  func `links lead to the app's own page when the project has one`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      try await emulator.setConfig(
        "notification.sendEmail.callbackUri",
        ["notification": ["sendEmail": ["callbackUri": "https://shop.example/act?theme=dark"]]])
      _ = try await emulator.call(
        .sendOobCode,
        [
          "requestType": "EMAIL_SIGNIN", "email": "ada@b.example",
          "continueUrl": "http://localhost/a",
        ])
      let link = try await emulator.newestLink()
      #expect(link.origin == "https://shop.example" && link.path == "/act")
      let names =
        rules == .compatible
        ? ["theme", "mode", "lang", "oobCode", "apiKey", "continueUrl"]
        : ["theme", "mode", "oobCode", "apiKey", "continueUrl", "lang"]
      #expect(link.fields.pairs.map(\.name) == names)
    }
  }

  @Test func `a project may want a captcha before it writes`() async throws {
    try await Fixture.run { emulator in
      try await emulator.setConfig(
        "recaptchaConfig.emailPasswordEnforcementState",
        ["recaptchaConfig": ["emailPasswordEnforcementState": "ENFORCE"]])
      var body: JSONObject = [
        "requestType": "EMAIL_SIGNIN", "email": "ada@b.example",
        "continueUrl": "http://localhost/",
      ]
      let steps: [(String, JSON, String?)] = [
        ("captchaResp", "NO_RECAPTCHA", "MISSING_CLIENT_TYPE"),
        ("clientType", "CLIENT_TYPE_WEB", "MISSING_RECAPTCHA_VERSION"),
        ("recaptchaVersion", "RECAPTCHA_ENTERPRISE", "INVALID_RECAPTCHA_TOKEN"),
        ("captchaResp", "a-token", nil),
      ]
      #expect(
        try await emulator.call(.sendOobCode, .object(body)).error == "MISSING_RECAPTCHA_TOKEN")
      for (name, value, error) in steps {
        body[name] = value
        #expect(try await emulator.call(.sendOobCode, .object(body)).error == error)
      }
    }
  }

  @Test func `letters and messages are told to whoever listens, without control characters`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      let (stream, heard) = AsyncStream.makeStream(of: String.self)
      await emulator.emulator.tellNotices { heard.yield($0) }
      _ = try await emulator.call(
        .sendOobCode, ["requestType": "EMAIL_SIGNIN", "email": "a\u{1B}[2J\n@b.example"])
      _ = try await emulator.call(.sendVerificationCode, ["phoneNumber": "+15550100"])
      heard.finish()
      var notices: [String] = []
      for await notice in stream { notices.append(notice) }
      let link = try #require(try await emulator.letters().last?["oobLink"]?.string)
      let code = try #require(try await emulator.messages().last?["code"]?.string)
      #expect(
        notices == [
          "To sign in as a [2j @b.example, follow this link: \(link)",
          "To verify the phone number +15550100, use the code \(code).",
        ])
    }
  }
}
