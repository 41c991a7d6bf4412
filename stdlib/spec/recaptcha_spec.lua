local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake

describe("reCAPTCHA", function()
  it("a call that needs a captcha is refused until a token goes with it", function()
    flows.configure("recaptchaConfig", {
      recaptchaConfig = { emailPasswordEnforcementState = "ENFORCE", phoneEnforcementState = "AUDIT" },
    })
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
  end)

  it("a project without captchas has an empty configuration", function()
    local config = auth:initializeRecaptchaConfig()
    equal(config.siteKey, nil)
    equal(config.emailPassword, "OFF")
    equal(config.phone, "OFF")
  end)

  it("each error of a captcha has its code", function()
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
  end)

  it("a token of Apple is revoked for a user who has signed in there", function()
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
  end)
end)
