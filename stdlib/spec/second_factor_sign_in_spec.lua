local flows = require "support.flows"
local Auth = require "luath.auth"
local admin = require "luath.admin"
local emulator = require "luath.emulator"
local json = require "luath.json"
local task = require "luath.task"
local totp = require "luath.totp"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider = flows.provider

local generator = Auth.TOTPMultiFactorGenerator

describe("signing in with a second factor", function()
  it("a password is followed by the code of an app", function()
    local proof = { email = "ada@contoso.example", password = "correct horse" }
    local user = flows.verified(auth, proof.email)
    local secret = flows.app(user, "app")
    local other = Auth.session()
    local err = refused("secondFactorRequired", other.signIn, other, proof)
    equal(err.rawValue, 17078)
    equal(err.webCode, "auth/multi-factor-auth-required")
    equal(other.currentUser, nil, "nobody is signed in by half")
    local resolver = err.resolver
    equal(#resolver.hints, 1)
    equal(resolver.hints[1].uid, user.multiFactor.enrolledFactors[1].uid)
    equal(resolver.hints[1].displayName, "app")
    equal(resolver.auth:signOut(), true)
    local result = resolver:resolveSignIn(generator.assertionForSignIn(resolver.hints[1], totp.code(secret)))
    equal(result.user.uid, user.uid)
    equal(other.currentUser.uid, user.uid)
    equal(result.additionalUserInfo.providerID, "password")
    equal(result.additionalUserInfo.isNewUser, false)
    equal(result.credential, nil)
    local token = result.user:getIDTokenResult()
    equal(token.signInProvider, "password")
    equal(token.signInSecondFactor, "totp")
    equal(#result.user.multiFactor.enrolledFactors, 1)
    result.user:reload()
  end)

  it("the result has the identity provider's tokens and profile", function()
    local google = provider("google.com", "ada@contoso.example")
    local user = auth:signIn(google).user
    flows.telephone(user, "+15555550101", "mobile")
    local err = refused("secondFactorRequired", auth.signIn, auth, google)
    equal(auth.currentUser.uid, user.uid, "the earlier user stays")
    local hint = err.resolver.hints[1]
    equal(hint.phoneNumber, "+*******0101")
    local id = Auth.PhoneAuthProvider(auth):verifyPhoneNumber(nil, { hint = hint, session = err.resolver.session })
    local credential = Auth.PhoneAuthProvider.credential(id, flows.sms "+15555550101")
    local result = err.resolver:resolveSignIn(Auth.PhoneMultiFactorGenerator.assertion(credential))
    equal(result.additionalUserInfo.providerID, "google.com")
    equal(result.additionalUserInfo.isNewUser, false)
    equal(result.additionalUserInfo.profile.email, "ada@contoso.example")
    assert(result.credential.accessToken and result.credential.idToken)
    equal(result.user:getIDTokenResult().signInSecondFactor, "phone")
    assert(auth.currentUser.refreshToken == result.user.refreshToken)
    -- The tokens came without a lifetime, which is the ID token's own.
    local token = result.user:getIDToken()
    emulator.advance(3250)
    equal(result.user:getIDToken(), token)
    emulator.advance(100)
    assert(result.user:getIDToken() ~= token)
  end)

  it("the link of an e-mail is followed by the code of an app", function()
    local user = flows.verified(auth, "ada@contoso.example")
    local secret = flows.app(user)
    local other = Auth.session()
    other:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
    local link = emulator.oobCodes()[1].oobLink
    local err = refused("secondFactorRequired", other.signInWithEmailLink, other, "ada@contoso.example", link)
    local resolver = err.resolver
    local result = resolver:resolveSignIn(generator.assertionForSignIn(resolver.hints[1], totp.code(secret)))
    equal(result.user.uid, user.uid)
    equal(result.additionalUserInfo.isNewUser, false)
    equal(other.currentUser.uid, user.uid)
    equal(result.user:getIDTokenResult().signInSecondFactor, "totp")
  end)

  it("of several factors any one will do", function()
    local google = provider("google.com", "ada@contoso.example")
    local user = auth:signIn(google).user
    local secret = flows.app(user)
    flows.telephone(user, "+15555550101")
    local phone = Auth.PhoneAuthProvider()
    local kinds = {}
    for _, way in ipairs { "totp", "phone" } do
      local resolver = refused("secondFactorRequired", auth.signIn, auth, google).resolver
      equal(#resolver.hints, 2)
      for _, hint in ipairs(resolver.hints) do
        kinds[hint.factorID] = hint
      end
      local assertion
      local unfit = generator.assertionForSignIn(kinds.phone, "000000")
      refused("rejectedCredential", resolver.resolveSignIn, resolver, unfit)
      if way == "totp" then
        assertion = generator.assertionForSignIn(kinds.totp.uid, totp.code(secret))
      else
        -- Apple's form: the factor in the number's place.
        local id = phone:verifyPhoneNumber(kinds.phone, { session = resolver.session })
        local credential = Auth.PhoneAuthProvider.credential(id, flows.sms "+15555550101")
        assertion = Auth.PhoneMultiFactorGenerator.assertion(credential)
      end
      equal(resolver:resolveSignIn(assertion).user:getIDTokenResult().signInSecondFactor, way)
    end
  end)

  it("a wrong code may be tried again, and a resolver succeeds once", function()
    local google = provider("google.com", "ada@contoso.example")
    local secret = flows.app(auth:signIn(google).user)
    local resolver = refused("secondFactorRequired", auth.signIn, auth, google).resolver
    local uid, other = resolver.hints[1].uid, Auth.session()
    local function resolve(code, factor)
      return resolver:resolveSignIn(generator.assertionForSignIn(factor or uid, code))
    end
    local wrong = ("%06d"):format((tonumber(totp.code(secret)) + 1) % 1000000)
    local err = refused("invalidVerificationCode", resolve, wrong)
    assert(err.hint:find("totp.code", 1, true), err.hint)
    equal(refused("multiFactorInfoNotFound", resolve, totp.code(secret), "unknown").rawValue, 17084)
    refused("missingMultiFactorInfo", resolve, totp.code(secret), "")
    refused("missingVerificationCode", resolve, "")
    resolve(totp.code(secret))
    emulator.advance(totp.remaining())
    err = refused("invalidMultiFactorSession", resolve, totp.code(secret))
    equal(err.rawValue, 17083)
    assert(err.message:find("already", 1, true), err.message)
    -- The code itself works once too.
    local code = totp.code(secret)
    resolver = refused("secondFactorRequired", auth.signIn, auth, google).resolver
    resolve(code)
    resolver = refused("secondFactorRequired", auth.signIn, auth, google).resolver
    refused("invalidVerificationCode", resolve, code)
  end)

  it("a sign-in waits no longer than ten minutes for its second factor", function()
    local google = provider("google.com", "ada@contoso.example")
    local user = auth:signIn(google).user
    local secret = flows.app(user)
    flows.telephone(user, "+15555550101")
    local resolver = refused("secondFactorRequired", auth.signIn, auth, google).resolver
    emulator.advance(601)
    local kinds = {}
    for _, hint in ipairs(resolver.hints) do kinds[hint.factorID] = hint end
    local err = refused("invalidMultiFactorSession", resolver.resolveSignIn, resolver,
      generator.assertionForSignIn(kinds.totp, totp.code(secret)))
    assert(err.hint:find("first factor again", 1, true), err.hint)
    local phone = Auth.PhoneAuthProvider()
    refused("invalidMultiFactorSession", phone.verifyPhoneNumber, phone, kinds.phone, { session = resolver.session })
  end)

  it("a reauthentication is finished as one, and the uid is compared", function()
    local google = provider("google.com", "ada@contoso.example")
    local user = auth:signIn(google).user
    local secret = flows.app(user)
    local current = auth.currentUser
    local before = user:getIDTokenResult()
    emulator.advance(600)
    refused("requiresRecentLogin", user.updatePassword, user, "battery staple")
    local err = refused("secondFactorRequired", user.reauthenticate, user, google)
    equal(user:getIDTokenResult().authDate, before.authDate)
    local factor = err.resolver.hints[1]
    local result = err.resolver:resolveSignIn(generator.assertionForSignIn(factor, totp.code(secret)))
    equal(result.user.uid, user.uid)
    assert(result.user:getIDTokenResult().authDate >= before.authDate + 600)
    assert(user:getIDTokenResult().authDate >= before.authDate + 600, "it is this user that was renewed")
    assert(result.credential.accessToken)
    equal(result.additionalUserInfo.providerID, "google.com")
    user:updatePassword("battery staple")

    -- Somebody else's first factor is a mismatch at once: their second factor is not asked for.
    local microsoft = provider("microsoft.com", "grace@fabrikam.example")
    local grace = Auth.session():signIn(microsoft).user
    refused("userMismatch", grace.reauthenticate, grace, google)
  end)

  it("a reauthentication does not sign anybody in", function()
    local proof = Auth.EmailAuthProvider.credential("ada@contoso.example", "correct horse")
    local user = flows.verified(auth, "ada@contoso.example")
    local secret = flows.app(user)
    auth:signOut()
    local resolver = refused("secondFactorRequired", user.reauthenticate, user, proof).resolver
    resolver:resolveSignIn(generator.assertionForSignIn(resolver.hints[1], totp.code(secret)))
    equal(auth.currentUser, nil)
    user:delete()
  end)

  it("each sign-in has a resolver of its own", function()
    local google = provider("google.com", "ada@contoso.example")
    local secret = flows.app(auth:signIn(google).user)
    local one, two = Auth.session(), Auth.session()
    local first = refused("secondFactorRequired", one.signIn, one, google).resolver
    local second = refused("secondFactorRequired", two.signIn, two, google).resolver
    second:resolveSignIn(generator.assertionForSignIn(second.hints[1], totp.code(secret)))
    equal(one.currentUser, nil)
    assert(two.currentUser)
    emulator.advance(totp.remaining())
    first:resolveSignIn(generator.assertionForSignIn(first.hints[1], totp.code(secret)))
    assert(one.currentUser.refreshToken ~= two.currentUser.refreshToken)
    -- Custom tokens are the project's own word and ask for nothing more, as Google's servers do.
    local token = admin.customToken(emulator.serviceAccount(), one.currentUser.uid)
    equal(Auth.session():signIn({ customToken = token }).user.uid, one.currentUser.uid)
  end)

  it("the users of a tenant have second factors of their own", function()
    local app = { state = "ENABLED", totpProviderConfig = { adjacentIntervals = 5 } }
    local made = flows.owned("v2/projects/PROJECT/tenants", {
      displayName = "north", allowPasswordSignup = true,
      mfaConfig = { state = "ENABLED", providerConfigs = { app } },
    })
    auth.tenantID = made.name:match "[^/]+$"
    local user = flows.verified(auth, "ada@contoso.example")
    local secret = flows.app(user)
    local proof = { email = "ada@contoso.example", password = "correct horse" }
    local resolver = refused("secondFactorRequired", auth.signIn, auth, proof).resolver
    -- What was begun in the tenant ends there.
    local tenant = auth.tenantID
    auth.tenantID = nil
    local result = resolver:resolveSignIn(generator.assertionForSignIn(resolver.hints[1], totp.code(secret)))
    equal(result.user.tenantID, tenant)
    equal(result.user.uid, user.uid)
    result.user.multiFactor:unenroll(resolver.hints[1])
    refused("invalidCredential", auth.signIn, auth, proof)
  end)

  it("listeners are called at the end, and a saved session has its factors", function()
    local google = provider("google.com", "ada@contoso.example")
    local user = auth:signIn(google).user
    local states, tokens = 0, 0
    auth:onAuthStateChanged(function() states = states + 1 end)
    auth:onIDTokenChanged(function() tokens = tokens + 1 end)
    local function heard(moreStates, moreTokens, what)
      for _ = 1, 5 do task.sleep(0) end
      equal(states, moreStates, what .. ": states")
      equal(tokens, moreTokens, what .. ": tokens")
      states, tokens = 0, 0
    end
    heard(1, 1, "the registration")
    local secret = flows.app(user)
    heard(0, 1, "the enrolment")
    local path <const> = os.tmpname()
    os.remove(path)
    auth:save(path)
    local kept = Auth.load(path).currentUser
    os.remove(path)
    equal(kept.multiFactor.enrolledFactors[1].uid, user.multiFactor.enrolledFactors[1].uid)
    auth:signOut()
    heard(1, 1, "signing out")
    local resolver = refused("secondFactorRequired", auth.signIn, auth, google).resolver
    heard(0, 0, "the first factor")
    resolver:resolveSignIn(generator.assertionForSignIn(resolver.hints[1], totp.code(secret)))
    heard(1, 1, "the second factor")
    emulator.advance(60)
    resolver = refused("secondFactorRequired", auth.currentUser.reauthenticate, auth.currentUser, google).resolver
    resolver:resolveSignIn(generator.assertionForSignIn(resolver.hints[1], totp.code(secret)))
    heard(0, 1, "the reauthentication")
  end)

  it("codes, sessions and secrets are in no text", function()
    local secrets = {}
    local function clean(value)
      for _, secret in ipairs(secrets) do
        assert(not tostring(value):find(secret, 1, true), tostring(value))
      end
    end
    local google = provider("google.com", "ada@contoso.example")
    local user = auth:signIn(google).user
    local session = user.multiFactor:getSession()
    local secret = generator.generateSecret(session)
    local code = totp.code(secret)
    secrets = { secret.sharedSecretKey, code, user:getIDToken() }
    local assertion = generator.assertionForEnrollment(secret, code)
    for _, value in ipairs { session, secret, assertion, user.multiFactor } do clean(value) end
    user.multiFactor:enroll(assertion, "app")
    local phone = Auth.PhoneAuthProvider()
    local id = phone:verifyPhoneNumber("+15555550101", { session = session })
    local sms = flows.sms "+15555550101"
    table.insert(secrets, id)
    table.insert(secrets, sms)
    local credential = Auth.PhoneAuthProvider.credential(id, sms)
    local shown = Auth.PhoneMultiFactorGenerator.assertion(credential)
    for _, value in ipairs { phone, credential, shown } do clean(value) end
    local err = refused("secondFactorRequired", auth.signIn, auth, google)
    for _, value in ipairs { err, err.resolver, err.resolver.session, json.encode(err.details) } do clean(value) end
    local wrong = generator.assertionForSignIn(err.resolver.hints[1], "654321")
    table.insert(secrets, "654321")
    clean(refused("invalidVerificationCode", err.resolver.resolveSignIn, err.resolver, wrong))
    clean(refused("invalidVerificationID", auth.signIn, auth, Auth.PhoneAuthProvider.credential(id, sms)))
    for _, name in ipairs { "idToken", "accessToken", "secret" } do equal(credential[name], nil) end
  end)
end)
