local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused


describe("the password policy", function()
  it("a password is judged by the policy, rule by rule", function()
    local status = auth:validatePassword "short"
    equal(status.isValid, false)
    equal(status.meetsMinPasswordLength, false)
    equal(status.meetsMaxPasswordLength, true)
    equal(status.containsLowercaseLetter, nil)
    -- A project without a policy of its own has that of Firebase, which is enforced.
    equal(status.passwordPolicy.enforcementState, "ENFORCE")
    equal(status.passwordPolicy.customStrengthOptions.minPasswordLength, 6)
    equal(status.passwordPolicy.customStrengthOptions.maxPasswordLength, 4096)
    equal(auth:validatePassword("correct horse").isValid, true)
    flows.configure("passwordPolicyConfig", { passwordPolicyConfig = {
      passwordPolicyEnforcementState = "ENFORCE", forceUpgradeOnSignin = true,
      passwordPolicyVersions = { { customStrengthOptions = {
        minPasswordLength = 8, maxPasswordLength = 12, containsLowercaseCharacter = true,
        containsUppercaseCharacter = true, containsNumericCharacter = true,
        containsNonAlphanumericCharacter = true,
      } } },
    } })
    local names = { "meetsMinPasswordLength", "meetsMaxPasswordLength", "containsLowercaseLetter",
      "containsUppercaseLetter", "containsNumericCharacter", "containsNonAlphanumericCharacter" }
    local function judge(password)
      local status, missing = auth:validatePassword(password), {}
      for index, name in ipairs(names) do
        assert(type(status[name]) == "boolean", name)
        if not status[name] then missing[#missing + 1] = index end
      end
      equal(status.isValid, #missing == 0)
      return table.concat(missing, " ")
    end
    equal(judge "Correct_1", "")
    equal(judge "", "1 3 4 5 6")
    equal(judge "correct_horse_1", "2 4")
    equal(judge "CORRECT1_", "3")
    equal(judge "Correct 1", "6")
    equal(judge "Correct_x", "5")
    -- As the backend counts: letters are those of ASCII, and lengths are in UTF-16.
    equal(judge "äÖ١😀", "1 3 4 5 6")
    equal(judge "Aa1_😀😀", "")
    equal(judge "Aa1_😀😀😀😀😀", "2")
    local policy = auth:validatePassword("x").passwordPolicy
    equal(policy.enforcementState, "ENFORCE")
    equal(policy.forceUpgradeOnSignin, true)
    equal(policy.customStrengthOptions.minPasswordLength, 8)
    equal(policy.customStrengthOptions.containsUppercaseLetter, true)
    assert(policy.allowedNonAlphanumericCharacters:find("~", 1, true))
    -- A policy that sets no minimum length keeps Firebase's.
    flows.configure("passwordPolicyConfig", { passwordPolicyConfig = {
      passwordPolicyEnforcementState = "ENFORCE",
      passwordPolicyVersions = { { customStrengthOptions = { containsUppercaseCharacter = true } } },
    } })
    status = auth:validatePassword "Abcde"
    equal(status.meetsMinPasswordLength, false)
    equal(status.meetsMaxPasswordLength, nil)
    equal(status.isValid, false)
    equal(auth:validatePassword("Abcdef").isValid, true)
  end)

  it("a password that misses something is refused with what it misses", function()
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    flows.configure("passwordPolicyConfig", { passwordPolicyConfig = {
      passwordPolicyEnforcementState = "ENFORCE", forceUpgradeOnSignin = true,
      passwordPolicyVersions = { { customStrengthOptions = {
        minPasswordLength = 8, containsUppercaseCharacter = true, containsNumericCharacter = true,
      } } },
    } })
    auth:sendPasswordReset "ada@contoso.example"
    local code = flows.code()
    local anonymous = Auth.session():signInAnonymously().user
    for _, call in ipairs {
      function() auth:createUser("b@contoso.example", "correct horse") end,
      function() user:updatePassword "correct horse" end,
      function() auth:confirmPasswordReset(code, "correct horse") end,
      function() auth:signIn { email = "ada@contoso.example", password = "correct horse" } end,
      function() anonymous:link(Auth.EmailAuthProvider.credential("c@contoso.example", "correct horse")) end,
    } do
      local err = refused("passwordDoesNotMeetRequirements", call)
      equal(err.rawValue, 17211)
      local missing = err.details.missingRequirements
      equal(#missing, 2)
      equal(missing[1], "Password must contain an upper case character")
      equal(missing[2], "Password must contain a numeric character")
      assert(err.hint:find("missingRequirements", 1, true), err.hint)
      assert(not tostring(err):find("correct horse", 1, true), "the password is shown")
    end
    auth:confirmPasswordReset(code, "Correct horse 1")
    equal(auth:signIn({ email = "ada@contoso.example", password = "Correct horse 1" }).user.uid, user.uid)
  end)

  it("a tenant has a policy of its own", function()
    flows.configure("multiTenant", { multiTenant = { allowTenants = true } })
    local tenant = flows.asAdmin("POST", "v2/projects/PROJECT/tenants", {
      displayName = "blue", allowPasswordSignup = true, passwordPolicyConfig = {
        passwordPolicyEnforcementState = "ENFORCE",
        passwordPolicyVersions = { { customStrengthOptions = { minPasswordLength = 20 } } },
      } }).name:match "[^/]+$"
    equal(auth:validatePassword("correct horse").isValid, true)
    auth.tenantID = tenant
    equal(auth:validatePassword("correct horse").isValid, false)
    refused("passwordDoesNotMeetRequirements", auth.createUser, auth, "ada@contoso.example", "correct horse")
  end)
end)

describe("password resets", function()
  it("a forgotten password is set anew by the code of a letter", function()
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    auth:sendPasswordReset("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
    local _, letter = flows.letter()
    equal(letter.operation, "passwordReset")
    equal(letter.continueURL, "http://localhost/")
    equal(auth:verifyPasswordResetCode(letter.code), "ada@contoso.example")
    auth:confirmPasswordReset(letter.code, "battery staple")
    refused("invalidActionCode", auth.confirmPasswordReset, auth, letter.code, "battery staple")
    refused("invalidActionCode", auth.verifyPasswordResetCode, auth, letter.code)
    refused("invalidCredential", auth.signIn, auth, { email = "ada@contoso.example", password = "correct horse" })
    local again = auth:signIn { email = "ada@contoso.example", password = "battery staple" }
    equal(again.user.uid, user.uid)
    equal(again.user.isEmailVerified, true)
  end)

  it("9.28 a reset ends the sessions of the account everywhere", function()
    local one, two = Auth.session(), Auth.session()
    local user = one:createUser("ada@contoso.example", "correct horse").user
    local same = two:signIn { email = "ada@contoso.example", password = "correct horse" }.user
    auth:sendPasswordReset "ada@contoso.example"
    auth:confirmPasswordReset(flows.code(), "battery staple")
    refused("userTokenExpired", user.reload, user)
    equal(one.currentUser, nil)
    local err = refused("userTokenExpired", same.getIDToken, same, true)
    equal(err.rawValue, 17021)
    equal(two.currentUser, nil)
  end)

  it("nobody learns from a reset who has an account, where the project protects that", function()
    auth:sendPasswordReset "nobody@contoso.example"
    equal(#emulator.oobCodes(), 0)
    emulator.configure { enumerationProtection = false }
    local err = refused("userNotFound", auth.sendPasswordReset, auth, "nobody@contoso.example")
    equal(err.serverName, "EMAIL_NOT_FOUND")
    refused("missingEmail", auth.sendPasswordReset, auth, "")
    refused("invalidEmail", auth.sendPasswordReset, auth, "nobody")
    -- Where passwords do not sign in, e-mails are sent all the same, and their codes are refused.
    auth:createUser("ada@contoso.example", "correct horse")
    emulator.configure { providers = { password = false } }
    refused("userNotFound", auth.sendPasswordReset, auth, "nobody@contoso.example")
    auth:sendPasswordReset "ada@contoso.example"
    err = refused("operationNotAllowed", auth.confirmPasswordReset, auth, flows.code(), "battery staple")
    equal(err.serverName, "PASSWORD_LOGIN_DISABLED")
  end)

  it("a reset is refused for weak passwords, old codes and codes of other letters", function()
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    auth:sendPasswordReset "ada@contoso.example"
    local code = flows.code()
    local err = refused("weakPassword", auth.confirmPasswordReset, auth, code, "five5")
    equal(err.serverName, "WEAK_PASSWORD")
    refused("weakPassword", auth.confirmPasswordReset, auth, code, "")
    emulator.advance(3600)
    refused("expiredActionCode", auth.verifyPasswordResetCode, auth, code)
    refused("expiredActionCode", auth.confirmPasswordReset, auth, code, "battery staple")
    user:sendEmailVerification()
    code = flows.code()
    err = refused("invalidActionCode", auth.verifyPasswordResetCode, auth, code)
    assert(err.message:find("verifyEmail", 1, true), err.message)
    assert(err.hint:find("sendPasswordReset", 1, true), err.hint)
    refused("invalidActionCode", auth.confirmPasswordReset, auth, code, "battery staple")
    auth:applyActionCode(code)
    emulator.setFaults { { operation = "resetPassword", error = "RESET_PASSWORD_EXCEED_LIMIT" } }
    refused("tooManyRequests", auth.confirmPasswordReset, auth, code, "battery staple")
  end)
end)
