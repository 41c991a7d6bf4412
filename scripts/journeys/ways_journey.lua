--- The sign-in methods besides providers: custom tokens, e-mails, phones, second factors.
local Admin <const> = require "luath.admin"
local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"
local oidc <const> = require "luath.oidc"
local task <const> = require "luath.task"
local totp <const> = require "luath.totp"

journey.configure { tags = { "ways" } }

journey("a custom token signs in the uid and claims that a server chose", {
  tags = { "custom", "smoke" },
}, function(j)
  local key <const> = emulator.serviceAccount()
  local auth <const> = Auth.session()
  local token <const> = j:secret(Admin.customToken(key, "yahoo:6517D1A0", { plan = "gold" }))
  local user <const> = auth:signInWithCustomToken(token).user
  expect.equal(user.uid, "yahoo:6517D1A0")
  local result <const> = user:getIDTokenResult()
  expect.equal(result.claims.plan, "gold")
  expect.equal(result.signInProvider, "custom")

  j:step("a forged one changes nothing", function()
    local head <const>, body <const>, signature <const> = token:match "^(.-)%.(.-)%.(.+)$"
    local forged <const> = ("%s.%s.%s"):format(head, body, signature:reverse())
    expect.raises("invalidCustomToken", auth.signInWithCustomToken, auth, forged)
    expect.equal(auth.currentUser.uid, user.uid)
  end)
  j:step("an old one is worth nothing", function()
    emulator.advance(7200)
    expect.raises("invalidCustomToken", auth.signInWithCustomToken, auth, token)
  end)
end)

journey("an app with an OAuth client of its own signs in by a custom token", {
  tags = { "custom", "yahoo" },
}, function(j)
  local yuki <const> = j.users:new { name = "Yuki Tanaka" }
  local token <const> = j:step("the server signs her in at Yahoo, by its own client", function()
    local client <const> = oidc.client {
      issuer = "https://api.login.yahoo.com",
      clientID = "luath-client-yahoo.com", clientSecret = "luath-secret-yahoo.com",
      redirectURI = "http://127.0.0.1:8910/callback",
    }
    local tokens <const> = client:signIn(yuki:delegate(), { loginHint = yuki.email })
    return Admin.admin():createCustomToken("yahoo:" .. tokens.claims.sub, { plan = "gold" })
  end)
  j:step("the app signs in with what it was given", function()
    local user <const> = yuki.auth:signInWithCustomToken(j:secret(token)).user
    expect.contains(user.uid, "yahoo:")
    expect.equal(user:getIDTokenResult().claims.plan, "gold")
  end)
end)

describe("letters", { tags = { "letters" } }, function()
  local settings <const> = { url = "http://localhost/welcome", handleCodeInApp = true }

  journey("a link signs in once, and verifies the address", function(j)
    local ada <const> = j.users:new()
    ada.auth:sendSignInLink(ada.email, settings)
    local link <const> = ada:newestEmail().oobLink
    local user <const> = ada.auth:signInWithEmailLink(ada.email, link).user
    expect.truthy(user.isEmailVerified)
    expect.raises("invalidActionCode", ada.auth.signInWithEmailLink, ada.auth, ada.email, link)
  end)

  journey("a link is too old after a day", { tags = { "clock" } }, function(j)
    local ada <const> = j.users:new()
    ada.auth:sendSignInLink(ada.email, settings)
    local link <const> = ada:newestEmail().oobLink
    emulator.advance(86400)
    expect.raises("expiredActionCode", ada.auth.signInWithEmailLink, ada.auth, ada.email, link)
  end)

  journey("a link leads to the project's own domains only", function(j)
    local ada <const> = j.users:new()
    expect.raises("unauthorizedDomain", ada.auth.sendSignInLink, ada.auth, ada.email, {
      url = "https://elsewhere.example/welcome", handleCodeInApp = true,
    })
    expect.equal(#emulator.oobCodes(), 0)
  end)

  journey("a reset sets a password and ends the sessions", function(j)
    local ada <const> = j.users:new { password = "correct horse" }
    local user <const> = ada:signIn().user
    ada.auth:sendPasswordReset(ada.email)
    local code <const> = ada:newestEmail().oobCode
    expect.equal(ada.auth:verifyPasswordResetCode(code), ada.email)
    ada.auth:confirmPasswordReset(code, "battery staple")
    expect.raises("userTokenExpired", user.reload, user)
    ada.auth:signIn { email = ada.email, password = "battery staple" }
  end)
end)

describe("phones", { tags = { "phone" } }, function()
  --- The code that was sent for a request.
  local function read(request)
    for _, message in ipairs(emulator.verificationCodes()) do
      if message.sessionInfo == request.verificationID then
        return message.code
      end
    end
  end

  journey("a number signs in with the code that was sent to it", function()
    local auth <const> = Auth.session()
    local user <const> = auth:signInWithPhoneNumber("+15555550101", read).user
    expect.equal(user.phoneNumber, "+15555550101")
  end)

  journey("a wrong code is refused", function()
    local auth <const> = Auth.session()
    expect.raises("invalidVerificationCode", auth.signInWithPhoneNumber, auth, "+15555550101",
      function()
        return "000000"
      end)
  end)
end)

journey("an account with an authenticator app needs its code", {
  tags = { "totp", "clock" },
}, function(j)
  local generator <const> = Auth.TOTPMultiFactorGenerator
  local ada <const> = j.users:new { password = "correct horse" }
  local user <const> = ada:signIn().user
  user:sendEmailVerification()
  ada.auth:applyActionCode(ada:newestEmail().oobCode)
  user:getIDToken(true)
  local secret <const> = generator.generateSecret(user.multiFactor:getSession())
  user.multiFactor:enroll(generator.assertionForEnrollment(secret, totp.code(secret)), "my app")

  emulator.advance(totp.remaining())
  local err <const> = expect.raises("secondFactorRequired", ada.signIn, ada)
  local assertion <const> =
    generator.assertionForSignIn(err.resolver.hints[1], totp.code(secret))
  local result <const> = err.resolver:resolveSignIn(assertion)
  expect.equal(result.user:getIDTokenResult().signInSecondFactor, "totp")
end)

journey("many people are signed in at once, each on their own", { tags = { "people" } }, function(j)
  local sessions <const> = {}
  for number = 1, 6 do
    sessions[number] = function()
      local person <const> = j.users:new { password = crypto.random() }
      person:signIn()
      return person
    end
  end
  local seen <const> = {}
  for _, person in ipairs(task.all(sessions)) do
    expect.falsy(seen[person.user.uid], "two people are one")
    seen[person.user.uid] = person
  end
  expect.isNil(Auth.auth().currentUser)
end)
