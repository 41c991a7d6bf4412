local flows = require "support.flows"
local admin = require "luath.admin"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local host = require "luath.host"
local http = require "luath.http"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider = flows.provider


describe("second factors of a signed-in user", function()
  it("an app is enrolled, listed and withdrawn", function()
    local totp, generator = require "luath.totp", Auth.TOTPMultiFactorGenerator
    local user = flows.verified(auth, "ada@contoso.example")
    equal(#user.multiFactor.enrolledFactors, 0)
    local before, refresh = user:getIDToken(), user.refreshToken
    local secret = generator.generateSecret(user.multiFactor:getSession())
    equal(secret.hashingAlgorithm, "SHA1")
    equal(secret.digits, 6)
    equal(secret.period, 30)
    assert(secret.enrollmentDeadline > user.metadata.creationDate)
    user.multiFactor:enroll(generator.assertionForEnrollment(secret, totp.code(secret)), "my app")
    -- The new tokens say which factor was proved.
    assert(user:getIDToken() ~= before and user.refreshToken ~= refresh)
    equal(user:getIDTokenResult().signInSecondFactor, "totp")
    local factor = user.multiFactor.enrolledFactors[1]
    equal(#user.multiFactor.enrolledFactors, 1)
    equal(factor.factorID, "totp")
    equal(factor.displayName, "my app")
    equal(factor.phoneNumber, nil)
    assert(math.abs(factor.enrollmentDate - user.metadata.creationDate) < 60000)
    equal(user:getIDTokenResult().claims.firebase.second_factor_identifier, factor.uid)
    user:getIDToken(true)
    user.multiFactor:unenroll(factor)
    equal(#user.multiFactor.enrolledFactors, 0)
    equal(user:getIDTokenResult().signInSecondFactor, nil)
    auth:signIn { email = "ada@contoso.example", password = "correct horse" }
  end)

  it("a telephone is enrolled, and withdrawn by its uid", function()
    local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
    flows.telephone(user, "+15555550101", "mobile")
    flows.telephone(user, "+15555550102")
    local factors = user.multiFactor.enrolledFactors
    equal(#factors, 2)
    equal(factors[1].phoneNumber, "+15555550101")
    equal(factors[1].displayName, "mobile")
    equal(factors[2].displayName, nil)
    equal(factors[1].factorID, "phone")
    equal(user.phoneNumber, nil, "a second factor is no way to sign in")
    user.multiFactor:unenroll(factors[1].uid)
    equal(#user.multiFactor.enrolledFactors, 1)
    equal(user.multiFactor.enrolledFactors[1].uid, factors[2].uid)
    user:reload()
    equal(#user.multiFactor.enrolledFactors, 1)
  end)

  it("the QR code's address is what apps and luath read", function()
    local totp = require "luath.totp"
    local user = flows.verified(auth, "ada+1@contoso.example")
    local secret = Auth.TOTPMultiFactorGenerator.generateSecret(user.multiFactor:getSession())
    local url = secret:generateQRCodeURL("Ada L", "Contoso & Sons")
    equal(url, "otpauth://totp/Contoso%20%26%20Sons:Ada%20L?secret=" .. secret.sharedSecretKey
      .. "&issuer=Contoso%20%26%20Sons&algorithm=SHA1&digits=6")
    local known = totp.parse(url)
    equal(known.account, "Ada L")
    equal(known.issuer, "Contoso & Sons")
    equal(totp.code(known, { at = 59 }), totp.code(secret, { at = 59 }))
    equal(totp.code(secret.sharedSecretKey, { at = 59 }), totp.code(secret, { at = 59 }))
    -- Without names it is the user's, by the project.
    local own = totp.parse(secret:generateQrCodeUrl())
    equal(own.account, "ada+1@contoso.example")
    equal(own.issuer, host.projectID)
  end)

  it("who may not enrol is told why", function()
    local phone, generator = Auth.PhoneAuthProvider(), Auth.TOTPMultiFactorGenerator
    local function begin(user)
      return function() return generator.generateSecret(user.multiFactor:getSession()) end,
        function()
          return phone:verifyPhoneNumber("+15555550101", { session = user.multiFactor:getSession() })
        end
    end
    local rows = {
      unverifiedEmail = auth:createUser("ada@contoso.example", "correct horse").user,
      unsupportedFirstFactor = Auth.session():signInAnonymously().user,
    }
    for code, user in pairs(rows) do
      for _, start in ipairs { begin(user) } do
        local err = refused(code, start)
        assert(err.rawValue == 17086 or err.rawValue == 17089)
      end
    end
    local token = admin.customToken(emulator.serviceAccount(), "ada")
    local byToken = Auth.session():signIn({ customToken = token }).user
    refused("unsupportedFirstFactor", begin(byToken))
    local byPhone = Auth.session():signInWithPhoneNumber("+15555550103", function(request)
      return flows.sms(request.phoneNumber)
    end).user
    refused("unsupportedFirstFactor", begin(byPhone))
  end)

  it("five factors are the most, and each only once", function()
    local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
    flows.app(user)
    for last = 1, 4 do
      flows.telephone(user, "+1555555010" .. last)
    end
    equal(#user.multiFactor.enrolledFactors, 5)
    local err = refused("secondFactorAlreadyEnrolled", flows.telephone, user, "+15555550101")
    equal(err.rawValue, 17087)
    refused("maximumSecondFactorCountExceeded", flows.app, user)
    err = refused("maximumSecondFactorCountExceeded", flows.telephone, user, "+15555550109")
    equal(err.rawValue, 17088)
    user.multiFactor:unenroll(user.multiFactor.enrolledFactors[1])
    flows.telephone(user, "+15555550109")
  end)

  it("enrolling and withdrawing need a recent sign-in", function()
    local google = provider("google.com", "ada@contoso.example")
    local user = auth:signIn(google).user
    emulator.advance(301)
    local err = refused("requiresRecentLogin", flows.telephone, user, "+15555550101")
    equal(err.rawValue, 17014)
    equal(auth.currentUser.uid, user.uid, "nobody is signed out for it")
    user:reauthenticate(google)
    flows.telephone(user, "+15555550101")
    -- The new session begins in the second after those that it ended.
    emulator.advance(302)
    refused("requiresRecentLogin", user.multiFactor.unenroll, user.multiFactor, user.multiFactor.enrolledFactors[1])
    equal(#user.multiFactor.enrolledFactors, 1)
  end)

  it("what is no factor cannot be withdrawn", function()
    local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
    local factors = user.multiFactor
    equal(refused("multiFactorInfoNotFound", factors.unenroll, factors, "unknown").rawValue, 17084)
    equal(refused("missingMultiFactorInfo", factors.unenroll, factors, "").rawValue, 17082)
    mistake("uid", factors.unenroll, factors, {})
    mistake("uid", factors.unenroll, factors, { uid = 7 })
    user:delete()
    local ok, err = pcall(factors.getSession, factors)
    assert(ok or err.code == "userTokenExpired" or err.code == "userNotFound", tostring(err))
  end)

  it("a wrong, late or foreign code enrols nothing", function()
    local totp, generator = require "luath.totp", Auth.TOTPMultiFactorGenerator
    local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
    local grace = Auth.session():signIn(provider("google.com", "grace@fabrikam.example")).user
    local session = user.multiFactor:getSession()
    local secret = generator.generateSecret(session)
    local function enroll(user, code)
      user.multiFactor:enroll(generator.assertionForEnrollment(secret, code), "app")
    end
    local err = refused("invalidVerificationCode", enroll, user, "000000")
    equal(err.rawValue, 17044)
    assert(err.hint:find("totp.code", 1, true), err.hint)
    err = refused("invalidVerificationID", enroll, grace, totp.code(secret))
    assert(err.hint:find("generateSecret", 1, true), err.hint)
    refused("missingVerificationCode", generator.assertionForEnrollment, secret, "")
    -- An app needs a name.
    err = refused("invalidArgument", user.multiFactor.enroll, user.multiFactor,
      generator.assertionForEnrollment(secret, totp.code(secret)))
    equal(err.serverName, "MISSING_DISPLAY_NAME")
    emulator.advance(901)
    local late = Auth.session():signIn(provider("google.com", "ada@contoso.example")).user
    err = refused("sessionExpired", enroll, late, totp.code(secret))
    assert(err.hint:find("generateSecret", 1, true), err.hint)

    local phone = Auth.PhoneAuthProvider()
    local function telephone(id, code)
      late.multiFactor:enroll(Auth.PhoneMultiFactorGenerator.assertion(Auth.PhoneAuthProvider.credential(id, code)))
    end
    local options = { session = late.multiFactor:getSession() }
    local id = phone:verifyPhoneNumber("+15555550101", options)
    local code = flows.sms "+15555550101"
    refused("invalidVerificationCode", telephone, id, code == "000000" and "000001" or "000000")
    refused("invalidVerificationID", telephone, "x", code)
    refused("missingVerificationID", telephone, "", code)
    refused("missingVerificationCode", telephone, id, "")
    -- A code for signing in is none for enrolling, and the other way round.
    refused("invalidVerificationID", telephone, phone:verifyPhoneNumber "+15555550104", flows.sms "+15555550104")
    refused("invalidVerificationID", auth.signIn, auth, Auth.PhoneAuthProvider.credential(id, code))
    emulator.advance(1801)
    late:reauthenticate(provider("google.com", "ada@contoso.example"))
    refused("sessionExpired", telephone, id, code)
    equal(#late.multiFactor.enrolledFactors, 0)
    refused("invalidPhoneNumber", phone.verifyPhoneNumber, phone, "0171", options)
    refused("missingPhoneNumber", phone.verifyPhoneNumber, phone, "", options)
  end)

  it("assertions and sessions of the other kind are refused in words", function()
    local totp, generator = require "luath.totp", Auth.TOTPMultiFactorGenerator
    local google = provider("google.com", "ada@contoso.example")
    local user = auth:signIn(google).user
    local secret, phone = flows.app(user), Auth.PhoneAuthProvider()
    local resolver = refused("secondFactorRequired", auth.signIn, auth, google).resolver
    local factor = resolver.hints[1]
    equal(refused("rejectedCredential", user.multiFactor.enroll, user.multiFactor,
      generator.assertionForSignIn(factor, "123456")).rawValue, 17075)
    refused("rejectedCredential", resolver.resolveSignIn, resolver,
      generator.assertionForEnrollment(secret, "123456"))
    refused("rejectedCredential", Auth.PhoneMultiFactorGenerator.assertion,
      Auth.EmailAuthProvider.credential("a@b.example", "correct horse"))
    local session = user.multiFactor:getSession()
    refused("invalidMultiFactorSession", generator.generateSecret, resolver.session)
    refused("invalidMultiFactorSession", phone.verifyPhoneNumber, phone, "+15555550101", { session = resolver.session })
    refused("invalidMultiFactorSession", phone.verifyPhoneNumber, phone, factor, { session = session })
    refused("missingPhoneNumber", phone.verifyPhoneNumber, phone, factor, { session = resolver.session })
    mistake("session", phone.verifyPhoneNumber, phone, factor)
    mistake("number or a hint", phone.verifyPhoneNumber, phone, "+15555550101", { hint = factor, session = session })
    mistake("a number, or a hint", phone.verifyPhoneNumber, phone)
    mistake("uid", phone.verifyPhoneNumber, phone, nil, { hint = {}, session = session })
    mistake("no option", phone.verifyPhoneNumber, phone, "+15555550101", { sesion = session })
  end)

  it("whoever has a factor changes the address only with a verified one", function()
    emulator.configure { enumerationProtection = false }
    local user = flows.verified(auth, "ada@contoso.example")
    flows.app(user)
    local err = refused("emailChangeNeedsVerification", user.updateEmail, user, "ada2@contoso.example")
    equal(err.rawValue, 17090)
    user:reload()
    equal(user.email, "ada@contoso.example")
  end)

  it("a project without second factors, and one that ran out of messages, say so", function()
    local google = provider("google.com", "ada@contoso.example")
    local user = auth:signIn(google).user
    emulator.setFaults { { operation = "startMFAEnrollment", error = "QUOTA_EXCEEDED" } }
    equal(refused("quotaExceeded", flows.telephone, user, "+15555550101").rawValue, 17052)
    emulator.setFaults {}
    local answer = http.patch(emulator.origin .. "/identitytoolkit.googleapis.com/v2/projects/"
      .. host.projectID .. "/config?updateMask=mfa", {
      bearer = "owner", json = { mfa = { state = "DISABLED" } },
    })
    assert(answer.ok, answer.body)
    refused("operationNotAllowed", flows.telephone, user, "+15555550101")
    refused("operationNotAllowed", flows.app, user)
  end)
end)
