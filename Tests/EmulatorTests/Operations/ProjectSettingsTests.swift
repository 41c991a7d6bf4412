@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProjectSettingsTests {
  private static let path = "v2/projects/demo-luath/config"

  private func change(
    _ emulator: Fixture, _ mask: String?, _ body: JSON
  ) async throws -> Fixture.Reply {
    try await emulator.asAdmin(
      "PATCH", Self.path + (mask.map { "?updateMask=\($0)" } ?? ""), body)
  }

  // MARK: As Firebase's emulator

  private static let untouched: JSON = [
    "signIn": ["allowDuplicateEmails": false], "blockingFunctions": [:],
    "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
  ]

  @Test func `without a mask the three parts are what the body says`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      #expect(try await emulator.asAdmin("GET", Self.path).json == Self.untouched)
      let body: JSON = [
        "signIn": ["allowDuplicateEmails": true], "quota": ["signUpQuotaConfig": [:]],
      ]
      let changed = try await change(emulator, nil, body)
      #expect(changed["signIn"] == ["allowDuplicateEmails": true])
      #expect(changed["quota"] == nil)
      #expect(try await change(emulator, nil, [:]).json == Self.untouched)
    }
  }

  @Test func `a mask changes what it names, known or not, and skips what the body lacks`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      let body: JSON = [
        "quota": ["signUpQuotaConfig": ["quota": "5"]], "client": ["permissions": [:]],
      ]
      let changed = try await change(emulator, "quota.signUpQuotaConfig.quota,mfa", body)
      #expect(changed["quota"] == ["signUpQuotaConfig": ["quota": "5"]])
      #expect(changed["client"] == nil)
      let kept = try await change(
        emulator, "signIn.allowDuplicateEmails", ["signIn": ["other": true]])
      #expect(kept["signIn"] == ["allowDuplicateEmails": false])
    }
  }

  @Test func `a path through something that is not there is refused`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let refused = try await change(emulator, "signIn.allowDuplicateEmails", [:])
      #expect(refused.status == 400)
      #expect(refused.json["error"]?["status"] == "INVALID_ARGUMENT")
    }
  }

  @Test(arguments: [
    ("beforeBirth", "http://localhost:1/f", "((Event type is invalid.))"),
    (
      "beforeCreate", "localhost", "((Expected an absolute URI with valid scheme and host.))"
    ),
  ])
  func `a trigger must be known and lead somewhere`(
    _ event: String, _ address: String, _ words: String
  ) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let trigger: JSON = ["functionUri": .string(address)]
      let body: JSON = ["blockingFunctions": ["triggers": .object([event: trigger])]]
      let refused = try await change(emulator, "blockingFunctions", body)
      #expect(refused.message == "INVALID_BLOCKING_FUNCTION : \(words)")
    }
  }

  @Test func `the emulator's own call resets everything when it names neither setting`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      let own = "emulator/v1/projects/demo-luath/config"
      let wrong = try await emulator.request(
        "PATCH", own, ["signIn": ["allowDuplicateEmails": "yes"]])
      #expect(
        wrong.message
          == "Invalid JSON payload received. /signIn/allowDuplicateEmails must be boolean")
      _ = try await emulator.request("PATCH", own, ["signIn": ["allowDuplicateEmails": true]])
      let reset = try await emulator.request("PATCH", own, ["signIn": [:]])
      #expect(reset["signIn"] == ["allowDuplicateEmails": false])
    }
  }

  // MARK: As Google's servers

  @Test func `providers that the settings switch off are off`() async throws {
    try await Fixture.run { emulator in
      let body: JSON = ["signIn": ["anonymous": ["enabled": false], "email": ["enabled": false]]]
      let changed = try await change(emulator, "signIn.anonymous.enabled,signIn.email", body)
      #expect(changed["signIn"]?["anonymous"] == [:])
      #expect(try await emulator.call(.signUp).error == "ADMIN_ONLY_OPERATION")
      let refused = try await emulator.call(
        .signUp, ["email": "a@b.example", "password": "correct horse"])
      #expect(refused.error == "OPERATION_NOT_ALLOWED")
    }
  }

  @Test func `a mask of unknown fields changes nothing, and a field that is left out is reset`()
    async throws
  {
    try await Fixture.run { emulator in
      let before = try await emulator.asAdmin("GET", Self.path)
      let off: JSON = ["signIn": ["email": ["enabled": false]]]
      for mask in ["pasword", "signIn.emial.enabled", "client.permision", "signIn.", ".mfa"] {
        #expect(try await change(emulator, mask, off).status == 200, "\(mask)")
      }
      #expect(try await emulator.asAdmin("GET", Self.path).json == before.json)
      let numbers: JSON = [
        "signIn": ["phoneNumber": ["testPhoneNumbers": ["+1 650-555-abcd": "code"]]]
      ]
      let mask = "signIn.phoneNumber.testPhoneNumbers"
      let set = try await change(emulator, mask, numbers)
      #expect(set["signIn"]?["phoneNumber"]?["testPhoneNumbers"] == ["+16505552223": "code"])
      #expect(set["notification"]?["sendEmail"]?["resetPasswordTemplate"] == nil)
      let reset = try await change(emulator, "\(mask),mfa,emailPrivacyConfig", [:])
      #expect(reset["signIn"]?["phoneNumber"]?["testPhoneNumbers"] == nil)
      #expect(reset["mfa"] == ["state": "DISABLED"])
      #expect(reset["emailPrivacyConfig"] == [:])
      let shown = try await emulator.asAdmin("GET", Self.path)
      #expect(
        shown["notification"]?["sendEmail"]?["resetPasswordTemplate"]?["bodyFormat"] == "HTML")
    }
  }

  @Test func `factors, quotas and links of e-mails are what the settings say`() async throws {
    try await Fixture.run { emulator in
      func factors(_ steps: Int64?) async throws -> Fixture.Reply {
        let app: JSON = steps.map { ["adjacentIntervals": .integer($0)] } ?? [:]
        return try await change(
          emulator, "mfa",
          [
            "mfa": [
              "state": "ENABLED",
              "providerConfigs": [
                ["state": "ENABLED", "totpProviderConfig": app], ["state": "ENABLED"],
              ],
            ]
          ])
      }
      #expect(
        try await factors(0)["mfa"]?["providerConfigs"]
          == [["state": "ENABLED", "totpProviderConfig": [:]]])
      for steps: Int64 in [-1, 11] {
        #expect(try await factors(steps).error == "INVALID_ADJACENT_INTERVAL_RANGE")
      }
      let quota = try await change(
        emulator, "quota", ["quota": ["signUpQuotaConfig": ["quota": "5"]]])
      #expect(
        quota["quota"]?["signUpQuotaConfig"]
          == ["quota": "5", "startTime": "1970-01-01T00:00:00Z", "quotaDuration": "0s"])
      _ = try await change(
        emulator, "notification.defaultLocale", ["notification": ["defaultLocale": "ja"]])
      _ = try await emulator.signUp("a@b.example")
      let sent = try await emulator.admin(
        "accounts:sendOobCode",
        [
          "requestType": "PASSWORD_RESET", "email": "a@b.example", "returnOobLink": true,
          "continueUrl": "http://localhost/next", "canHandleCodeInApp": true,
          "iOSBundleId": "app.example",
        ])
      let link = try #require(sent["oobLink"]?.string.flatMap { WebURL($0) }, "\(sent.message)")
      #expect(link.path == "/__/auth/links")
      let inner = try #require(link.fields["link"].flatMap { WebURL($0) })
      #expect(inner.fields["lang"] == "ja")
      #expect(inner.fields["oobCode"] == sent["oobCode"]?.string)
      let followed = try await emulator.exchange(HTTPRequest(url: link))
      #expect(followed.status == 302)
      #expect(followed.headers["Location"] == inner.description)
    }
  }

  @Test func `administrators see how passwords are hashed`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("a@b.example", "correct horse")
      let settings = try await emulator.asAdmin("GET", Self.path)
      var wire = try #require(settings["signIn"]?["hashConfig"]?.object)
      wire["hashAlgorithm"] = wire["algorithm"]
      let hashing = try PasswordHashing(wire: wire)
      // Look-ups show that there is a hash, but not which.
      let found = try await emulator.admin("accounts:lookup", ["email": ["a@b.example"]])
      #expect(found["users"]?[0]?["passwordHash"] == "UkVEQUNURUQ=")
      #expect(found["users"]?[0]?["salt"] == nil)
      let listed = try await emulator.asAdmin("GET", "v1/projects/demo-luath/accounts:batchGet")
      let user = listed["users"]?[0]
      let hash = try #require(
        (user?["passwordHash"]?.string).flatMap { Base64.decodeAnyAlphabet($0) })
      let salt = try #require((user?["salt"]?.string).flatMap { Base64.decodeAnyAlphabet($0) })
      #expect(hashing.verify("correct horse", hash: hash, salt: salt))
    }
  }

  @Test func `an enforced policy names all that a password lacks`() async throws {
    try await Fixture.run { emulator in
      let options: JSON = [
        "minPasswordLength": 8, "containsUppercaseCharacter": true,
        "containsNumericCharacter": true, "containsNonAlphanumericCharacter": true,
      ]
      let policy: JSON = [
        "passwordPolicyEnforcementState": "ENFORCE", "forceUpgradeOnSignin": true,
        "passwordPolicyVersions": [["customStrengthOptions": options]],
      ]
      let made = try await emulator.signUp("a@b.example", "lower case only")
      _ = try await change(emulator, "passwordPolicyConfig", ["passwordPolicyConfig": policy])
      let refused = try await emulator.call(
        .signUp, ["email": "b@b.example", "password": "short"])
      #expect(
        refused.message
          == "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: "
          + "[Password must contain at least 8 characters, Password must contain an upper case "
          + "character, Password must contain a numeric character, Password must contain a "
          + "non-alphanumeric character]")
      let old = try await emulator.call(
        .signInWithPassword, ["email": "a@b.example", "password": "lower case only"])
      #expect(old.error == "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
      let change = try await emulator.call(
        .update, ["idToken": made["idToken"] ?? .null, "password": "Better_1 than before"])
      #expect(change.status == 200)
      let shown = try await emulator.request(
        "GET", "identitytoolkit.googleapis.com/v2/passwordPolicy?key=k")
      #expect(shown["enforcementState"] == "ENFORCE")
      #expect(shown["forceUpgradeOnSignin"] == true)
      #expect(shown["customStrengthOptions"]?["minPasswordLength"] == 8)
      #expect(shown["customStrengthOptions"]?["containsLowercaseCharacter"] == nil)
    }
  }

  @Test func `what only administrators may do is refused to clients`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("a@b.example")
      let permissions: JSON = ["disabledUserSignup": true, "disabledUserDeletion": true]
      _ = try await change(
        emulator, "client.permissions", ["client": ["permissions": permissions]])
      #expect(try await emulator.call(.signUp).error == "ADMIN_ONLY_OPERATION")
      let deletion = try await emulator.call(.delete, ["idToken": made["idToken"] ?? .null])
      #expect(deletion.error == "ADMIN_ONLY_OPERATION")
      #expect(try await emulator.admin("accounts", ["email": "b@b.example"]).status == 200)
    }
  }

  @Test func `a quota of sign-ups holds for its hours`() async throws {
    try await Fixture.run { emulator in
      let time = try await emulator.request("GET", "emulator/v1/clock")
      let quota: JSON = [
        "quota": "2", "startTime": time["time"] ?? .null, "quotaDuration": "7200s",
      ]
      _ = try await change(emulator, "quota", ["quota": ["signUpQuotaConfig": quota]])
      for _ in 0..<2 { #expect(try await emulator.call(.signUp).status == 200) }
      #expect(try await emulator.call(.signUp).error == "TOO_MANY_ATTEMPTS_TRY_LATER")
      emulator.clock.advance(bySeconds: 3600)
      #expect(try await emulator.call(.signUp).status == 200)
    }
  }

  @Test func `an enforced reCAPTCHA must be there`() async throws {
    try await Fixture.run({
      $0.settings["recaptchaConfig"] = [
        "emailPasswordEnforcementState": "ENFORCE",
        "recaptchaKeys": [["key": "projects/p/keys/k", "type": "WEB"]],
      ]
    }) { emulator in
      // Keys are Google's to make.
      let own = try await change(
        emulator, "recaptchaConfig.recaptchaKeys",
        ["recaptchaConfig": ["recaptchaKeys": [["key": "projects/p/keys/x", "type": "WEB"]]]])
      #expect(own.message == "INVALID_SITE_KEY")
      var body: JSONObject = ["email": "a@b.example", "password": "correct horse"]
      #expect(
        try await emulator.call(.signUp, .object(body)).error == "MISSING_RECAPTCHA_TOKEN")
      body["captchaResponse"] = "luath-recaptcha-pass"
      #expect(try await emulator.call(.signUp, .object(body)).error == "MISSING_CLIENT_TYPE")
      body["clientType"] = "CLIENT_TYPE_WEB"
      body["recaptchaVersion"] = "RECAPTCHA_ENTERPRISE"
      #expect(try await emulator.call(.signUp, .object(body)).status == 200)
      #expect(try await emulator.call(.signInWithPassword, .object(body)).status == 200)
      let shown = try await emulator.request(
        "GET",
        "identitytoolkit.googleapis.com/v2/recaptchaConfig?key=k&clientType=CLIENT_TYPE_WEB"
          + "&version=RECAPTCHA_ENTERPRISE")
      #expect(shown["recaptchaKey"] == "projects/p/keys/k")
      #expect(
        shown["recaptchaEnforcementState"]?[0]
          == ["provider": "EMAIL_PASSWORD_PROVIDER", "enforcementState": "ENFORCE"])
    }
  }

  @Test func `Identity Platform is switched on once`() async throws {
    try await Fixture.run({ $0.identityPlatform = false }) { emulator in
      let path = "v2/projects/demo-luath/identityPlatform:initializeAuth"
      #expect(try await emulator.asAdmin("POST", path, [:]).json == [:])
      #expect(try await emulator.asAdmin("POST", path, [:]).error == "INVALID_PROJECT_ID")
      let settings = try await emulator.asAdmin("GET", Self.path)
      #expect(settings["subtype"] == "IDENTITY_PLATFORM")
    }
  }
}
