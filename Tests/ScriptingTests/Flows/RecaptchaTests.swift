@testable import Emulator
@testable import System
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct RecaptchaTests {
  /// A project that asks for captchas, with a site key for one kind of client.
  private static func flow(keyOf client: String) -> Flow {
    var flow = Flow()
    flow.runner.project.settings["recaptchaConfig"] = [
      "emailPasswordEnforcementState": "ENFORCE", "phoneEnforcementState": "AUDIT",
      "recaptchaKeys": [["key": "projects/p/keys/the-site-key", "type": .string(client)]],
    ]
    return flow
  }

  @Test func `a call that needs a captcha is refused until a token goes with it`() async throws {
    try await Self.flow(keyOf: "WEB").run(
      """
      local config = auth:initializeRecaptchaConfig()
      equal(config.siteKey, "the-site-key")
      equal(config.emailPassword, "ENFORCE")
      equal(config.phone, "AUDIT")
      local function create() return auth:createUser("ada@contoso.example", "correct horse").user end
      local calls = {
        create,
        function() return auth:signIn { email = "ada@contoso.example", password = "correct horse" } end,
        function() auth:sendPasswordReset "ada@contoso.example" end,
        function() auth:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true }) end,
        function() auth.currentUser:sendEmailVerification() end,
      }
      for index, call in ipairs(calls) do
        if index < 5 then
          local err = refused("missingRecaptchaToken", call)
          equal(err.rawValue, 17201)
          assert(err.hint:find("auth.recaptchaToken", 1, true), err.hint)
        end
        auth.recaptchaToken = "NO_RECAPTCHA"
        if auth.currentUser then refused("invalidRecaptchaToken", call) end
        auth.recaptchaToken = "a-token-of-a-page"
        equal(auth.recaptchaToken, "a-token-of-a-page")
        call()
        -- A token is good for one call.
        equal(auth.recaptchaToken, nil)
      end
      auth.recaptchaToken = "for-later"
      Auth.session():signInAnonymously()
      auth.currentUser:reload()
      equal(auth.recaptchaToken, "for-later")
      auth.recaptchaToken = nil
      equal(auth.recaptchaToken, nil)
      mistake("recaptchaToken", function() auth.recaptchaToken = {} end)
      """)
  }

  @Test func `a project without captchas says so, and one without a site key is at fault`()
    async throws
  {
    try await Flow().run(
      """
      local config = auth:initializeRecaptchaConfig()
      equal(config.siteKey, nil)
      equal(config.emailPassword, "OFF")
      equal(config.phone, "OFF")
      """)
    try await Self.flow(keyOf: "IOS").run(
      """
      local err = refused("recaptchaSiteKeyMissing", auth.initializeRecaptchaConfig, auth)
      equal(err.rawValue, 17209)
      """)
  }

  @Test func `what can be wrong with a captcha has its name`() async throws {
    try await Flow().run(
      """
      local rows = {
        RECAPTCHA_NOT_ENABLED = { "recaptchaNotEnabled", 17200 },
        MISSING_RECAPTCHA_TOKEN = { "missingRecaptchaToken", 17201 },
        INVALID_RECAPTCHA_TOKEN = { "invalidRecaptchaToken", 17202 },
        INVALID_RECAPTCHA_ACTION = { "invalidRecaptchaAction", 17203 },
        MISSING_CLIENT_TYPE = { "missingClientType", 17204 },
        MISSING_RECAPTCHA_VERSION = { "missingRecaptchaVersion", 17205 },
        INVALID_RECAPTCHA_VERSION = { "invalidRecaptchaVersion", 17206 },
        INVALID_REQ_TYPE = { "invalidReqType", 17207 },
        INVALID_RECAPTCHA_SCORE = { "captchaCheckFailed", 17056 },
        CAPTCHA_CHECK_FAILED = { "captchaCheckFailed", 17056 },
      }
      for name, row in pairs(rows) do
        emulator.setFaults { { operation = "signUp", error = name } }
        auth.recaptchaToken = "a-token-of-a-page"
        local err = refused(row[1], auth.createUser, auth, "ada@contoso.example", "correct horse")
        equal(err.rawValue, row[2])
        equal(err.serverName, name)
        assert(err.name:find "^ERROR_", err.name)
        assert(not tostring(err):find("a-token-of-a-page", 1, true), "the token is shown")
        equal(auth.recaptchaToken, nil)
      end
      """)
  }

  @Test func `Apple's tokens are revoked for a user who has signed in there`() async throws {
    try await Flow().run(
      """
      local err = refused("nullUser", auth.revokeToken, auth, "code")
      equal(err.rawValue, 17067)
      local user = auth:createUser("ada@contoso.example", "correct horse").user
      refused("invalidArgument", auth.revokeToken, auth, "")
      err = refused("invalidProviderID", auth.revokeToken, auth, "c0de-of-apple")
      assert(err.message:find("no identity there", 1, true), err.message)
      flows.asAdmin("POST", "v1/projects/PROJECT/accounts:update", {
        localId = user.uid, linkProviderUserInfo = { providerId = "apple.com", rawId = "000123" } })
      auth:revokeToken "c0de-of-apple"
      equal(auth.currentUser.uid, user.uid)
      """)
  }
}
