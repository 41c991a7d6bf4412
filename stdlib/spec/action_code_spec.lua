local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake


describe("codes of e-mails", function()
  it("a letter verifies an address, whoever uses its code", function()
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    equal(user.isEmailVerified, false)
    auth.languageCode = "fr"
    user:sendEmailVerification { url = "http://localhost/done" }
    local _, letter = flows.letter()
    equal(letter.operation, "verifyEmail")
    equal(letter.continueURL, "http://localhost/done")
    equal(letter.languageCode, "fr")
    local info = auth:checkActionCode(letter.code)
    equal(info.operation, Auth.ActionCodeOperation.verifyEmail)
    equal(info.email, "ada@contoso.example")
    equal(info.previousEmail, nil)
    -- Nobody needs to be signed in, and nobody is by it.
    local other = Auth.session()
    other:applyActionCode(letter.code)
    equal(other.currentUser, nil)
    equal(user.isEmailVerified, false)
    user:reload()
    equal(user.isEmailVerified, true)
    -- Claims follow with the next token.
    equal(user:getIDTokenResult().claims.email_verified, false)
    equal(user:getIDTokenResult(true).claims.email_verified, true)
    refused("invalidActionCode", other.applyActionCode, other, letter.code)
    refused("invalidActionCode", auth.checkActionCode, auth, letter.code)
  end)

  it("an address changes by the code of a letter, and back by another", function()
    auth:createUser("ada@contoso.example", "correct horse")
    local user = auth.currentUser
    user:sendEmailVerificationBeforeUpdatingEmail("ada@fabrikam.example", { url = "http://localhost/" })
    local sent = emulator.oobCodes()[1]
    equal(sent.email .. " " .. sent.newEmail, "ada@contoso.example ada@fabrikam.example")
    local info = auth:checkActionCode(flows.code())
    equal(info.operation, "verifyAndChangeEmail")
    equal(info.email, "ada@fabrikam.example")
    equal(info.previousEmail, "ada@contoso.example")
    auth:applyActionCode(flows.code())
    -- The change ends the sessions, and with them this one.
    refused("userTokenExpired", user.getIDToken, user, true)
    equal(auth.currentUser, nil)
    user = auth:signIn { email = "ada@fabrikam.example", password = "correct horse" }.user
    equal(user.isEmailVerified, true)
    info = auth:checkActionCode(flows.code())
    equal(info.operation, "recoverEmail")
    equal(info.email, "ada@fabrikam.example")
    equal(info.previousEmail, "ada@contoso.example")
    auth:applyActionCode(flows.code())
    refused("userTokenExpired", user.reload, user)
    equal(auth:signIn({ email = "ada@contoso.example", password = "correct horse" }).user.uid, user.uid)
  end)

  it("9.27 a code says what it is for, and one to sign in does not say for whom", function()
    auth:createUser("ada@contoso.example", "correct horse")
    auth:sendPasswordReset "ada@contoso.example"
    local reset = auth:checkActionCode(flows.code())
    equal(reset.operation, Auth.ActionCodeOperation.passwordReset)
    equal(reset.email, "ada@contoso.example")
    auth:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
    local link = auth:checkActionCode(flows.code())
    equal(link.operation, Auth.ActionCodeOperation.emailLink)
    equal(link.email, nil)
    -- Codes of these two are not for applying.
    local err = refused("invalidActionCode", auth.applyActionCode, auth, flows.code())
    equal(err.serverName, "INVALID_OOB_CODE")
  end)

  it("a code ends with its time, its account and the leave to use it", function()
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    user:sendEmailVerification()
    local code = flows.code()
    emulator.advance(3 * 86400)
    local err = refused("expiredActionCode", auth.checkActionCode, auth, code)
    equal(err.name, "ERROR_EXPIRED_ACTION_CODE")
    equal(err.serverName, "EXPIRED_OOB_CODE")
    refused("expiredActionCode", auth.applyActionCode, auth, code)
    user:sendEmailVerification()
    err = refused("invalidActionCode", auth.applyActionCode, auth, (flows.letter()))
    assert(err.message:find("is a link", 1, true), err.message)
    code = flows.code()
    flows.asAdmin("POST", "v1/projects/PROJECT/accounts:update", { localId = user.uid, disableUser = true })
    equal(auth:checkActionCode(code).email, "ada@contoso.example")
    refused("userDisabled", auth.applyActionCode, auth, code)
    emulator.setFaults { { error = "USER_NOT_FOUND" } }
    refused("userNotFound", auth.checkActionCode, auth, code)
    refused("userNotFound", auth.applyActionCode, auth, code)
    emulator.setFaults {}
    for _, made in ipairs { "made-up", "" } do
      refused("invalidActionCode", auth.checkActionCode, auth, made)
      err = refused("invalidActionCode", auth.applyActionCode, auth, made)
      refused("invalidActionCode", auth.verifyPasswordResetCode, auth, made)
      refused("invalidActionCode", auth.confirmPasswordReset, auth, made, "correct horse")
    end
    assert(err.hint:find("ActionCodeURL", 1, true), err.hint)
  end)

  it("a letter that leads nowhere is refused in words", function()
    local function link(settings)
      settings.handleCodeInApp = true
      return auth.sendSignInLink, auth, "ada@contoso.example", settings
    end
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    local err = refused("invalidArgument", auth.sendSignInLink, auth, "ada@contoso.example",
      { url = "http://localhost/" })
    assert(err.hint:find("handleCodeInApp = true", 1, true), err.hint)
    equal(err.webCode, "auth/argument-error")
    refused("missingContinueURI", link {})
    refused("invalidContinueURI", link { url = "" })
    refused("invalidContinueURI", link { url = "not an address" })
    err = refused("unauthorizedDomain", link { url = "https://elsewhere.example/" })
    equal(err.rawValue, 17038)
    assert(err.message:find("Domain not allowlisted by project", 1, true), err.message)
    assert(err.hint:find("authorizedDomains", 1, true), err.hint)
    refused("invalidHostingLinkDomain", link { url = "http://localhost/", linkDomain = "elsewhere.example" })
    refused("invalidHostingLinkDomain", link { url = "http://localhost/", linkDomain = "" })
    refused("missingAndroidPackageName", link { url = "http://localhost/", androidPackageName = "" })
    refused("missingIosBundleID", link { url = "http://localhost/", iOSBundleID = "" })
    refused("invalidArgument", link { url = "http://localhost/", androidMinimumVersion = "" })
    refused("missingEmail", auth.sendSignInLink, auth, "", { url = "http://localhost/", handleCodeInApp = true })
    refused("invalidEmail", auth.sendSignInLink, auth, "ada", { url = "http://localhost/", handleCodeInApp = true })
    refused("unauthorizedDomain", user.sendEmailVerification, user, { url = "https://elsewhere.example/" })
    refused("unauthorizedDomain", auth.sendPasswordReset, auth, "ada@contoso.example",
      { url = "https://elsewhere.example/" })
    mistake("no option", auth.sendSignInLink, auth, "a@b.example", { URL = "http://localhost/" })
    mistake("bad argument", auth.sendSignInLink, auth, "a@b.example")
    equal(#emulator.oobCodes(), 0)
  end)

  it("what a mail server or a project can have against a letter has its name", function()
    local rows = {
      INVALID_RECIPIENT_EMAIL = { "invalidRecipientEmail", 17033 },
      INVALID_SENDER = { "invalidSender", 17032 },
      INVALID_MESSAGE_PAYLOAD = { "invalidMessagePayload", 17031 },
      MISSING_IOS_BUNDLE_ID = { "missingIosBundleID", 17036 },
      MISSING_REQ_TYPE = { "invalidReqType", 17207 },
      QUOTA_EXCEEDED = { "quotaExceeded", 17052 },
      RESET_PASSWORD_EXCEED_LIMIT = { "tooManyRequests", 17010 },
      TOO_MANY_ATTEMPTS_TRY_LATER = { "tooManyRequests", 17010 },
    }
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    for name, row in pairs(rows) do
      emulator.setFaults { { operation = "sendOobCode", error = name } }
      for _, call in ipairs {
        function() auth:sendPasswordReset "ada@contoso.example" end,
        function() user:sendEmailVerification() end,
        function() user:sendEmailVerificationBeforeUpdatingEmail "b@contoso.example" end,
      } do
        local err = refused(row[1], call)
        equal(err.serverName, name)
        equal(err.rawValue, row[2])
      end
    end
    equal(auth.currentUser.uid, user.uid)
  end)

  it("a new address must be free, valid and asked for by a recent sign-in", function()
    auth:createUser("taken@contoso.example", "correct horse")
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    local send = user.sendEmailVerificationBeforeUpdatingEmail
    refused("missingEmail", send, user, "")
    refused("invalidEmail", send, user, "ada")
    -- With enumeration protection the project does not say that an address is taken, and writes nothing.
    user:verifyBeforeUpdateEmail "taken@contoso.example"
    equal(#emulator.oobCodes(), 0)
    emulator.configure { enumerationProtection = false }
    local err = refused("emailAlreadyInUse", send, user, "taken@contoso.example")
    equal(err.email, "taken@contoso.example")
    emulator.advance(600)
    refused("requiresRecentLogin", send, user, "b@contoso.example")
    equal(auth.currentUser.uid, user.uid)
    local nobody = Auth.session():signInAnonymously().user
    refused("missingEmail", nobody.sendEmailVerification, nobody)
  end)

  it("a letter for a session that is over signs out, except one before a change of address", function()
    local function over(call)
      local user = auth:signIn { email = "ada@contoso.example", password = "correct horse" }.user
      emulator.setFaults { { operation = "sendOobCode", revokeTokens = true, count = 1 } }
      refused("userTokenExpired", call, user)
      emulator.setFaults {}
      return user
    end
    auth:createUser("ada@contoso.example", "correct horse")
    over(function(user) user:sendEmailVerification() end)
    equal(auth.currentUser, nil)
    local user = over(function(user) user:sendEmailVerificationBeforeUpdatingEmail "b@contoso.example" end)
    equal(auth.currentUser.uid, user.uid)
    refused("userTokenExpired", user.reload, user)
    equal(auth.currentUser, nil)
  end)
end)
