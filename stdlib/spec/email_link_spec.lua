local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local http = require "luath.http"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider = flows.provider


describe("signing in by an e-mail link", function()
  it("a link signs in to a new account and later to the same one", function()
    local settings = {
      url = "http://localhost/welcome?a=1", handleCodeInApp = true, iOSBundleID = "example.app",
      androidPackageName = "example.app", androidMinimumVersion = "12",
      androidInstallIfNotAvailable = true, linkDomain = "localhost",
    }
    auth:sendSignInLink("Ada@Contoso.example", settings)
    local link, letter = flows.letter()
    equal(emulator.oobCodes()[1].requestType, "EMAIL_SIGNIN")
    equal(letter.operation, Auth.ActionCodeOperation.emailLink)
    equal(letter.continueURL, settings.url)
    equal(auth:isSignInWithEmailLink(link), true)
    local first = auth:signInWithEmailLink("ada@contoso.example", link)
    equal(first.additionalUserInfo.isNewUser, true)
    equal(first.additionalUserInfo.providerID, "password")
    equal(first.credential, nil)
    equal(first.user.email, "ada@contoso.example")
    equal(first.user.isEmailVerified, true)
    equal(first.user.isAnonymous, false)
    equal(first.user:getIDTokenResult().signInProvider, "password")
    equal(auth.currentUser.uid, first.user.uid)
    auth:signOut()
    auth:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
    local second = auth:signIn { email = "ada@contoso.example", link = flows.letter() }
    equal(second.user.uid, first.user.uid)
    equal(second.additionalUserInfo.isNewUser, false)
    auth:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
    local credential = Auth.EmailAuthProvider.credentialWithLink("ada@contoso.example", (flows.letter()))
    equal(credential.providerID, Auth.EmailAuthProvider.id)
    equal(credential.signInMethod, "emailLink")
    equal(tostring(credential), "password credential")
    equal(auth:signIn(credential).user.uid, first.user.uid)
  end)

  it("9.16 a password and a link are told apart by their methods only", function()
    emulator.configure { enumerationProtection = false }
    auth:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
    auth:signIn { email = "ada@contoso.example", link = flows.letter() }
    equal(table.concat(auth:fetchProviders "ada@contoso.example", " "), "password")
    equal(table.concat(auth:fetchSignInMethods "ada@contoso.example", " "), "emailLink")
    auth.currentUser:updatePassword "correct horse"
    equal(table.concat(auth:fetchProviders "ada@contoso.example", " "), "password")
    assert(auth:fetchSignInMethods("ada@contoso.example"):contains "password")
  end)

  it("a link is linked, and proves again who somebody is", function()
    local function link(email)
      auth:sendSignInLink(email, { url = "http://localhost/", handleCodeInApp = true })
      return Auth.EmailAuthProvider.credentialWithLink(email, (flows.letter()))
    end
    local user = auth:signInAnonymously().user
    local result = user:link(link "ada@contoso.example")
    equal(result.user.uid, user.uid)
    equal(result.additionalUserInfo, nil)
    equal(user.isAnonymous, false)
    equal(user.email, "ada@contoso.example")
    equal(user.isEmailVerified, true)
    local before = user:getIDTokenResult().authDate
    emulator.advance(600)
    refused("requiresRecentLogin", user.updatePassword, user, "correct horse")
    equal(user:reauthenticate(link "ada@contoso.example").user.uid, user.uid)
    assert(user:getIDTokenResult().authDate >= before + 600)
    user:updatePassword "correct horse"
    -- Somebody else's link neither proves nor changes anything.
    local refresh = user.refreshToken
    local err = refused("userMismatch", user.reauthenticate, user, link "grace@contoso.example")
    assert(err.details.strayAccount and err.details.strayAccount ~= user.uid, tostring(err))
    equal(user.refreshToken, refresh)
    equal(auth.currentUser.uid, user.uid)
  end)

  it("a link of a taken address is refused, and the user stays signed in", function()
    local settings = { url = "http://localhost/", handleCodeInApp = true }
    auth:createUser("taken@contoso.example", "correct horse")
    local user = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
    auth:sendSignInLink("taken@contoso.example", settings)
    local link = flows.letter()
    local err = refused("emailAlreadyInUse", user.link, user,
      Auth.EmailAuthProvider.credentialWithLink("taken@contoso.example", link))
    equal(err.email, "taken@contoso.example")
    equal(auth.currentUser.uid, user.uid)
    user:reload()
    -- Who has a password has the provider of links already.
    local owner = auth:signIn { email = "taken@contoso.example", password = "correct horse" }.user
    auth:sendSignInLink("taken@contoso.example", settings)
    refused("providerAlreadyLinked", owner.link, owner,
      Auth.EmailAuthProvider.credentialWithLink("taken@contoso.example", (flows.letter())))
  end)

  it("a link works once, in time, for its address and its purpose", function()
    local settings = { url = "http://localhost/", handleCodeInApp = true }
    local function link(email)
      auth:sendSignInLink(email, settings)
      return (flows.letter())
    end
    local first = link "ada@contoso.example"
    local err = refused("invalidEmail", auth.signInWithEmailLink, auth, "grace@contoso.example", first)
    assert(err.message:find("does not match", 1, true), tostring(err))
    assert(err.hint:find("address that the e-mail", 1, true), tostring(err))
    refused("missingEmail", auth.signInWithEmailLink, auth, "", first)
    refused("invalidEmail", auth.signInWithEmailLink, auth, "nobody", first)
    auth:signInWithEmailLink("ada@contoso.example", first)
    err = refused("invalidActionCode", auth.signInWithEmailLink, auth, "ada@contoso.example", first)
    equal(err.rawValue, 17030)
    assert(not tostring(err):find(Auth.ActionCodeURL(first).code, 1, true), "the code is shown")
    local second = link "ada@contoso.example"
    emulator.advance(6 * 3600)
    err = refused("expiredActionCode", auth.signInWithEmailLink, auth, "ada@contoso.example", second)
    equal(err.rawValue, 17029)
    assert(err.hint:find("new e-mail", 1, true), err.hint)
    -- Other letters do not sign in, and neither does what is no letter.
    auth:signIn { email = "ada@contoso.example", link = link "ada@contoso.example" }
    auth.currentUser:sendEmailVerification()
    for _, other in ipairs { flows.letter(), "", "http://localhost/?oobCode=x", "mode=signIn&oobCode=x" } do
      equal(auth:isSignInWithEmailLink(other), false)
      err = refused("invalidActionCode", auth.signInWithEmailLink, auth, "ada@contoso.example", other)
      assert(err.hint:find("sendSignInLink", 1, true), err.hint)
      refused("invalidActionCode", Auth.EmailAuthProvider.credentialWithLink, "ada@contoso.example", other)
    end
    refused("invalidActionCode", auth.signInWithEmailLink, auth, "ada@contoso.example",
      "http://localhost/?mode=signIn&oobCode=made-up")
    mistake("not both", auth.signIn, auth, { email = "a@b.example", password = "x", link = first })
    mistake("email and link", auth.signIn, auth, { link = first })
  end)

  it("a link is found inside other links", function()
    auth:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
    local link = flows.letter()
    local wrapped = "https://x.page.link/?" .. http.form { link = link, apn = "example.app" }
    equal(auth:isSignInWithEmailLink(wrapped), true)
    equal(Auth.ActionCodeURL(wrapped).code, Auth.ActionCodeURL(link).code)
    local twice = "example.app://google/link?" .. http.form { deep_link_id = wrapped }
    equal(auth:signInWithEmailLink("ada@contoso.example", twice).user.email, "ada@contoso.example")
    equal(select("#", Auth.ActionCodeURL "https://x.example/?link=https://y.example"), 1)
    equal(Auth.ActionCodeURL "https://x.example/?link=https://y.example", nil)
    mistake("ActionCodeOperation", function() return Auth.ActionCodeOperation.emailLnk end)
  end)

  it("a disabled account and a project without links refuse", function()
    local settings = { url = "http://localhost/", handleCodeInApp = true }
    local user = auth:createUser("ada@contoso.example", "correct horse").user
    auth:sendSignInLink("ada@contoso.example", settings)
    local link = flows.letter()
    flows.asAdmin("POST", "v1/projects/PROJECT/accounts:update", { localId = user.uid, disableUser = true })
    refused("userDisabled", auth.signInWithEmailLink, auth, "ada@contoso.example", link)
    flows.configure("signIn.email", { signIn = { email = { enabled = true, passwordRequired = true } } })
    local err = refused("operationNotAllowed", auth.sendSignInLink, auth, "b@contoso.example", settings)
    equal(err.rawValue, 17006)
    refused("operationNotAllowed", auth.signInWithEmailLink, auth, "ada@contoso.example", link)
  end)

  it("a link of a tenant signs in there only", function()
    flows.configure("multiTenant", { multiTenant = { allowTenants = true } })
    local tenant = flows.asAdmin("POST", "v2/projects/PROJECT/tenants",
      { displayName = "blue", enableEmailLinkSignin = true }).name:match "[^/]+$"
    auth.tenantID = tenant
    auth:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
    equal(#emulator.oobCodes(), 0)
    local link = emulator.oobCodes({ tenantID = tenant })[1].oobLink
    equal(Auth.ActionCodeURL(link).tenantID, tenant)
    auth.tenantID = nil
    local err = refused("tenantIDMismatch", auth.signInWithEmailLink, auth, "ada@contoso.example", link)
    assert(err.message:find(tenant, 1, true), err.message)
    auth.tenantID = tenant
    local user = auth:signInWithEmailLink("ada@contoso.example", link).user
    equal(user.tenantID, tenant)
    equal(#emulator.verificationCodes { tenantID = tenant }, 0)
    emulator.clear()
    user:reload()
    emulator.clear { tenantID = tenant }
    refused("userNotFound", user.reload, user)
  end)

  it("a link is the first of two factors", function()
    local user = flows.verified(auth, "ada@contoso.example")
    local secret = flows.app(user, "my app")
    auth:signOut()
    auth:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
    local err = refused("secondFactorRequired", auth.signInWithEmailLink, auth, "ada@contoso.example", (flows.letter()))
    equal(#err.resolver.hints, 1)
    equal(auth.currentUser, nil)
    local code = require("luath.totp").code(secret)
    local assertion = Auth.TOTPMultiFactorGenerator.assertionForSignIn(err.resolver.hints[1], code)
    local result = err.resolver:resolveSignIn(assertion)
    equal(result.user.uid, user.uid)
    equal(result.additionalUserInfo.providerID, "password")
    equal(auth.currentUser.uid, user.uid)
  end)
end)
