--- Lesson 15: a second factor. An authenticator app is enrolled, and each sign-in then asks for its
--- code.
---
--- luath.totp is the app: it makes the codes from the secret, by the emulator's clock. Each code
--- works once, so the script moves the clock on to the next one.
---
--- Usage: luath run scripts/15-totp.lua
---
--- Sample output (the secret is another one each time):
---
---     unverified     unverifiedEmail
---     for the app    otpauth://totp/Contoso:ada%40contoso.example?secret=…
---     enrolled       totp "my app"
---     signing in     secondFactorRequired: 1 factor to choose from
---     a used code    invalidVerificationCode
---     signed in      password, then totp
---     confirmed      the same user, for changes that need it
---     with a phone   +*******0101 or totp
---     signed in      password, then phone
---     withdrawn      a password is enough again

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"
local totp <const> = require "luath.totp"

local generator <const> = Auth.TOTPMultiFactorGenerator

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()
local proof <const> = { email = "ada@contoso.example", password = crypto.random() }
local user <const> = auth:createUser(proof.email, proof.password).user

--- The factor of a kind, of a list of factors.
local function factor(list, kind)
  for _, one in ipairs(list) do
    if one.factorID == kind then
      return one
    end
  end
end

-- 1. Only an account whose address is verified may have a second factor.
local _, early <const> = luath.try(generator.generateSecret, user.multiFactor:getSession())
print("unverified     " .. early.code)
assert(early.code == Auth.ErrorCode.unverifiedEmail)
user:sendEmailVerification()
auth:applyActionCode(emulator.oobCodes()[1].oobCode)
user:getIDToken(true)

-- 2. The project creates a secret, the app reads it from a QR code, and its first code enrols it.
local secret <const> = generator.generateSecret(user.multiFactor:getSession())
local address <const> = secret:generateQRCodeURL(proof.email, "Contoso")
print("for the app    " .. address:gsub("secret=%w+.*", "secret=…"))
local app <const> = totp.parse(address)
assert(app.secret == secret.sharedSecretKey and app.account == proof.email)
local first <const> = totp.code(app)
user.multiFactor:enroll(generator.assertionForEnrollment(secret, first), "my app")
local enrolled <const> = user.multiFactor.enrolledFactors[1]
print(("enrolled       %s %q"):format(enrolled.factorID, enrolled.displayName))

-- 3. From now on the password is not enough. The error carries what finishes the sign-in.
local _, err <const> = luath.try(auth.signIn, auth, proof)
assert(err.code == Auth.ErrorCode.secondFactorRequired)
print(("signing in     %s: %d factor to choose from"):format(err.code, #err.resolver.hints))
local hint <const> = err.resolver.hints[1]
local used <const> = generator.assertionForSignIn(hint, first)
local _, again <const> = luath.try(err.resolver.resolveSignIn, err.resolver, used)
print("a used code    " .. again.code)
assert(again.code == Auth.ErrorCode.invalidVerificationCode, "a code worked twice")
emulator.advance(totp.remaining())
local result <const> = err.resolver:resolveSignIn(
  generator.assertionForSignIn(hint, totp.code(app)))
local token <const> = result.user:getIDTokenResult()
print(("signed in      %s, then %s"):format(token.signInProvider, token.signInSecondFactor))
assert(auth.currentUser.uid == user.uid and token.signInSecondFactor == "totp")

-- 4. A reauthentication asks as well, and the resolver renews this very user.
emulator.advance(600)
local ada <const> = result.user
local _, asked <const> = luath.try(ada.reauthenticate, ada,
  Auth.EmailAuthProvider.credential(proof.email, proof.password))
asked.resolver:resolveSignIn(generator.assertionForSignIn(hint, totp.code(app)))
print "confirmed      the same user, for changes that need it"
assert(ada:getIDTokenResult().authDate >= token.authDate + 600, "the sign-in is as old as before")

-- 5. A phone is a second factor too. Then there are two to choose from.
local phone <const> = Auth.PhoneAuthProvider(auth)

--- The assertion of a phone, by the newest message.
local function mobilePhone(number, options)
  local id <const> = phone:verifyPhoneNumber(number, options)
  for _, message in ipairs(emulator.verificationCodes()) do
    if message.sessionInfo == id then
      local credential <const> = Auth.PhoneAuthProvider.credential(id, message.code)
      return Auth.PhoneMultiFactorGenerator.assertion(credential)
    end
  end
end

ada.multiFactor:enroll(mobilePhone("+15555550101", { session = ada.multiFactor:getSession() }))
local _, both <const> = luath.try(auth.signIn, auth, proof)
local mobile <const> = factor(both.resolver.hints, "phone")
print(("with a phone   %s or %s"):format(mobile.phoneNumber,
  factor(both.resolver.hints, "totp").factorID))
local finished <const> = both.resolver:resolveSignIn(
  mobilePhone(nil, { hint = mobile, session = both.resolver.session }))
local last <const> = finished.user:getIDTokenResult()
print(("signed in      %s, then %s"):format(last.signInProvider, last.signInSecondFactor))
assert(last.signInSecondFactor == "phone")

-- 6. Without factors the password is enough again.
for _, one in ipairs(finished.user.multiFactor.enrolledFactors) do
  finished.user.multiFactor:unenroll(one)
end
assert(auth:signIn(proof).user.uid == user.uid)
print "withdrawn      a password is enough again"
