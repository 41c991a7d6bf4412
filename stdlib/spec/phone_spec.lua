local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local task = require "luath.task"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider, way, ways = flows.provider, flows.way, flows.ways

describe("phone numbers as a sign-in method", function()
  it("a delegate reads the code, and may wait for it", function()
    local requests = {}
    local function read(request)
      requests[#requests + 1] = request
      task.sleep(0)
      for _, sent in ipairs(emulator.verificationCodes()) do
        if sent.sessionInfo == request.verificationID then return sent.code end
      end
    end
    local result = auth:signInWithPhoneNumber("+15555550101", read)
    equal(result.user.phoneNumber, "+15555550101")
    equal(auth.currentUser.uid, result.user.uid)
    equal(result.additionalUserInfo.providerID, "phone")
    equal(result.additionalUserInfo.isNewUser, true)
    equal(result.credential, nil)
    equal(way(result.user, "phone").phoneNumber, "+15555550101")
    equal(result.user.isAnonymous, false)
    equal(result.user:getIDTokenResult().signInProvider, "phone")
    equal(requests[1].phoneNumber, "+15555550101")
    local again = Auth.session():signInWithPhoneNumber("+15555550101", read)
    equal(again.user.uid, result.user.uid)
    equal(again.additionalUserInfo.isNewUser, false)
  end)

  it("the steps can be taken one by one", function()
    local phone = Auth.PhoneAuthProvider(auth)
    equal(phone.providerID, "phone")
    equal(Auth.PhoneAuthProvider.id, "phone")
    local id = phone:verifyPhoneNumber("+15555550101")
    local credential = Auth.PhoneAuthProvider.credential(id, flows.sms "+15555550101")
    equal(credential.providerID, "phone")
    equal(credential.signInMethod, "phone")
    equal(auth:signIn(credential).user.phoneNumber, "+15555550101")
    -- A code works once.
    local err = refused("sessionExpired", auth.signIn, auth, credential)
    equal(err.rawValue, 17051)
    equal(err.webCode, "auth/code-expired")
  end)

  it("calls that can only fail send no request", function()
    local phone, credential = Auth.PhoneAuthProvider(), Auth.PhoneAuthProvider.credential
    equal(flows.requests("*", function()
      equal(refused("missingPhoneNumber", phone.verifyPhoneNumber, phone, "").rawValue, 17041)
      equal(refused("missingPhoneNumber", auth.signInWithPhoneNumber, auth, "", print).rawValue, 17041)
      equal(refused("missingVerificationID", auth.signIn, auth, credential("", "123456")).rawValue, 17045)
      equal(refused("missingVerificationCode", auth.signIn, auth, credential("x", "")).rawValue, 17043)
    end), 0)
  end)

  it("wrong numbers, codes and ids have errors of their own", function()
    local phone = Auth.PhoneAuthProvider()
    local function signIn(id, code) return auth:signIn(Auth.PhoneAuthProvider.credential(id, code)) end
    for _, number in ipairs { "0171 1234567", "+", "+0 171 1234567", "+1 (555) *", "ada@contoso.example" } do
      equal(refused("invalidPhoneNumber", phone.verifyPhoneNumber, phone, number).rawValue, 17042)
    end
    local id = phone:verifyPhoneNumber "+15555550101"
    local code = flows.sms "+15555550101"
    local wrong = code == "000000" and "000001" or "000000"
    equal(refused("invalidVerificationCode", signIn, id, wrong).rawValue, 17044)
    equal(refused("invalidVerificationID", signIn, "unknown", code).rawValue, 17046)
    equal(auth.currentUser, nil)
    signIn(id, code)
    -- Too many wrong codes, and too much time, end it.
    id = phone:verifyPhoneNumber "+15555550102"
    for _ = 1, 5 do refused("invalidVerificationCode", signIn, id, "00000x") end
    refused("sessionExpired", signIn, id, flows.sms "+15555550102")
    id = phone:verifyPhoneNumber "+15555550103"
    emulator.advance(601)
    refused("sessionExpired", signIn, id, flows.sms "+15555550103")
  end)

  it("a delegate that gives no code is an error, and its own errors are passed on", function()
    local number = "+15555550101"
    local err = refused("missingVerificationCode", auth.signInWithPhoneNumber, auth, number, function() end)
    assert(err.message:find("nil", 1, true) or err.message:find("nothing", 1, true), err.message)
    err = refused("missingVerificationCode", auth.signInWithPhoneNumber, auth, number, function() return 123456 end)
    assert(err.hint:find("zeros", 1, true), err.hint)
    refused("missingVerificationCode", auth.signInWithPhoneNumber, auth, number, function() return "" end)
    local mine = { code = "mine" }
    local ok, raised = pcall(auth.signInWithPhoneNumber, auth, number, function() error(mine) end)
    assert(not ok and raised == mine, tostring(raised))
    refused("timeout", task.timeout, 0.05, auth.signInWithPhoneNumber, auth, number, function() task.sleep(60) end)
    equal(auth.currentUser, nil)
  end)

  it("a user whose Auth was collected asks its own tenant for codes", function()
    local sessions = setmetatable({}, { __mode = "k" })
    local function stranded()
      local session = Auth.session { tenantID = flows.tenant() }
      sessions[session] = true
      return session:signInAnonymously().user
    end
    local user = stranded()
    task.sleep(0)
    collectgarbage()
    collectgarbage()
    equal(next(sessions), nil, "the Auth")
    -- Tenants have no phone sign-in: the project, which has, must not be asked instead.
    refused("unsupportedTenantOperation", user.linkWithPhoneNumber, user, "+15555550101", print)
    equal(#emulator.verificationCodes(), 0)
  end)

  it("a phone number is linked, reauthenticates, is replaced and unlinked", function()
    local function read(request) return flows.sms(request.phoneNumber) end
    local user = auth:signInAnonymously().user
    local uid = user.uid
    local result = user:linkWithPhoneNumber("+15555550101", read)
    equal(result.user.uid, uid)
    equal(result.additionalUserInfo.providerID, "phone")
    equal(user.isAnonymous, false)
    equal(user.phoneNumber, "+15555550101")
    refused("providerAlreadyLinked", user.linkWithPhoneNumber, user, "+15555550102", read)

    local before = user:getIDTokenResult().authDate
    emulator.advance(600)
    user:reauthenticateWithPhoneNumber("+15555550101", read)
    assert(user:getIDTokenResult().authDate >= before + 600)

    local phone = Auth.PhoneAuthProvider()
    local function proof(number)
      local id = phone:verifyPhoneNumber(number)
      return Auth.PhoneAuthProvider.credential(id, flows.sms(number))
    end
    user:updatePhoneNumber(proof "+15555550102")
    equal(user.phoneNumber, "+15555550102")
    equal(way(user, "phone").phoneNumber, "+15555550102")
    local password = Auth.EmailAuthProvider.credential("a@b.example", "correct horse")
    refused("rejectedCredential", user.updatePhoneNumber, user, password)
    emulator.advance(600)
    refused("requiresRecentLogin", user.updatePhoneNumber, user, proof "+15555550103")
    user:reauthenticate(proof "+15555550102")
    user:updatePhoneNumber(proof "+15555550103")

    user:link(Auth.EmailAuthProvider.credential("ada@contoso.example", "correct horse"))
    user:unlink "phone"
    equal(user.phoneNumber, nil)
    equal(ways(user), "password")
    refused("noSuchProvider", user.unlink, user, "phone")
  end)

  it("the phone number of another user reauthenticates nobody, and creates no account", function()
    local function read(request) return flows.sms(request.phoneNumber) end
    Auth.session():signInWithPhoneNumber("+15555550102", read)
    local user = auth:signInWithPhoneNumber("+15555550101", read).user
    local token = user:getIDToken()
    local err = refused("userMismatch", user.reauthenticateWithPhoneNumber, user, "+15555550102", read)
    equal(err.rawValue, 17024)
    refused("userMismatch", user.reauthenticateWithPhoneNumber, user, "+15555550103", read)
    equal(user:getIDToken(), token)
    equal(Auth.session():signInWithPhoneNumber("+15555550103", read).additionalUserInfo.isNewUser, true)
  end)

  it("an error for the number of another account has a credential that signs in to it", function()
    local function read(request) return flows.sms(request.phoneNumber) end
    local owner = Auth.session():signInWithPhoneNumber("+15555550101", read).user
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    local err = refused("credentialAlreadyInUse", user.linkWithPhoneNumber, user, "+15555550101", read)
    equal(err.rawValue, 17025)
    equal(err.email, nil)
    equal(err.details.phoneNumber, "+15555550101")
    equal(err.pendingCredential.providerID, "phone")
    assert(not tostring(err.pendingCredential):find("555", 1, true))
    equal(auth.currentUser.uid, user.uid)
    local other = Auth.session()
    local result = other:signIn(err.pendingCredential)
    equal(result.user.uid, owner.uid)
    equal(result.additionalUserInfo.isNewUser, false)
    -- It works more than once, as Google's servers let it.
    equal(other:signIn(err.pendingCredential).user.uid, owner.uid)
    -- So does the proof of an update, for an hour.
    user:linkWithPhoneNumber("+15555550102", read)
    local id = Auth.PhoneAuthProvider():verifyPhoneNumber "+15555550101"
    local proof = Auth.PhoneAuthProvider.credential(id, flows.sms "+15555550101")
    err = refused("credentialAlreadyInUse", user.updatePhoneNumber, user, proof)
    emulator.advance(3601)
    local late = refused("invalidCredential", other.signIn, other, err.pendingCredential)
    equal(late.serverName, "INVALID_TEMPORARY_PROOF")
    assert(late.hint:find("verifyPhoneNumber", 1, true), late.hint)
  end)

  it("an account with second factors cannot get a phone number to sign in with", function()
    local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
    flows.app(user)
    local err = refused("unsupportedFirstFactor", user.linkWithPhoneNumber, user, "+15555550101",
      function(request) return flows.sms(request.phoneNumber) end)
    equal(err.rawValue, 17089)
    equal(auth.currentUser.uid, user.uid)
  end)

  it("a test number takes its own code", function()
    flows.configure("signIn.phoneNumber.testPhoneNumbers", {
      signIn = { phoneNumber = { testPhoneNumbers = { ["+15555550199"] = "424242" } } },
    })
    local result = auth:signInWithPhoneNumber("+15555550199", function() return "424242" end)
    equal(result.user.phoneNumber, "+15555550199")
  end)

  it("what the project forbids has its code", function()
    local phone = Auth.PhoneAuthProvider()
    emulator.setFaults { { operation = "sendVerificationCode", error = "QUOTA_EXCEEDED" } }
    equal(refused("quotaExceeded", phone.verifyPhoneNumber, phone, "+15555550101").rawValue, 17052)
    emulator.setFaults {}
    emulator.configure { providers = { phone = false } }
    equal(refused("operationNotAllowed", phone.verifyPhoneNumber, phone, "+15555550101").rawValue, 17006)
  end)

  it("errors that only a real project raises have their codes", function()
    local phone = Auth.PhoneAuthProvider()
    local codes = {
      MISSING_APP_CREDENTIAL = "missingAppCredential", INVALID_APP_CREDENTIAL = "invalidAppCredential",
      CAPTCHA_CHECK_FAILED = "captchaCheckFailed", APP_NOT_VERIFIED = "appNotVerified",
      MISSING_IOS_APP_TOKEN = "missingAppToken", TOO_MANY_ATTEMPTS_TRY_LATER = "tooManyRequests",
    }
    for name, code in pairs(codes) do
      emulator.setFaults { { operation = "sendVerificationCode", error = name } }
      local err = refused(code, phone.verifyPhoneNumber, phone, "+15555550101")
      equal(err.serverName, name)
      assert(code ~= "missingAppCredential" or err.name == "MISSING_APP_CREDENTIAL", err.name)
    end
    equal(#emulator.verificationCodes(), 0)
  end)

  it("a tenant has no phone sign-in", function()
    auth.tenantID = flows.tenant()
    local phone = Auth.PhoneAuthProvider(auth)
    local err = refused("unsupportedTenantOperation", phone.verifyPhoneNumber, phone, "+15555550101")
    equal(err.rawValue, 17073)
    refused("unsupportedTenantOperation", auth.signIn, auth, Auth.PhoneAuthProvider.credential("x", "123456"))
  end)
end)
