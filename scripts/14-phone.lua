--- Lesson 14: a phone number as a sign-in method, and what to do when it is somebody else's.
---
--- A code is sent to the number; a function of the script, which may wait, returns the code. On an
--- emulator the SMS are listed. A real project sends them only for a response of reCAPTCHA
--- (the option recaptchaToken), but has fictional test numbers that need none.
---
--- Usage: luath run scripts/14-phone.lua
---
--- Sample output:
---
---     signed in      +15555550101, a new account
---     a wrong code   invalidVerificationCode
---     a late code    sessionExpired
---     linked         password, phone
---     confirmed      by +15555550102
---     moved to       +15555550103
---     taken          credentialAlreadyInUse: +15555550101 is another account's
---     signed in      to the account of +15555550101
---     unlinked       password is left

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()

--- Plays the phone: finds the code of the message that belongs to a request.
local function read(request)
  for _, message in ipairs(emulator.verificationCodes()) do
    if message.sessionInfo == request.verificationID then
      return message.code
    end
  end
end

--- The ids of a user's providers, in order of the alphabet.
local function ways(user)
  local ids = {}
  for index, way in ipairs(user.providerData) do
    ids[index] = way.providerID
  end
  table.sort(ids)
  return table.concat(ids, ", ")
end

-- 1. One call sends the code, asks for it and signs in.
local ada <const> = auth:signInWithPhoneNumber("+15555550101", read)
print(("signed in      %s, %s account"):format(ada.user.phoneNumber,
  ada.additionalUserInfo.isNewUser and "a new" or "the same"))

-- 2. The same in steps: the verification's id and the code make a credential.
local phone <const> = Auth.PhoneAuthProvider(auth)
local id <const> = phone:verifyPhoneNumber("+15555550101")
local _, wrong <const> = luath.try(auth.signIn, auth, Auth.PhoneAuthProvider.credential(id, "?"))
print("a wrong code   " .. wrong.code)
assert(wrong.code == Auth.ErrorCode.invalidVerificationCode)
emulator.advance(600)
local code <const> = read { verificationID = id }
local _, late <const> = luath.try(auth.signIn, auth, Auth.PhoneAuthProvider.credential(id, code))
print("a late code    " .. late.code)
assert(late.code == Auth.ErrorCode.sessionExpired)

-- 3. A number is linked to an account, proves who its owner is, and is replaced by another.
local grace <const> = auth:createUser("grace@fabrikam.example", crypto.random()).user
grace:linkWithPhoneNumber("+15555550102", read)
print("linked         " .. ways(grace))
assert(ways(grace) == "password, phone", "the link is missing")
emulator.advance(600)
grace:reauthenticateWithPhoneNumber("+15555550102", read)
print("confirmed      by " .. grace.phoneNumber)
local other <const> = phone:verifyPhoneNumber("+15555550103")
grace:updatePhoneNumber(Auth.PhoneAuthProvider.credential(other, read { verificationID = other }))
print("moved to       " .. grace.phoneNumber)
assert(grace.phoneNumber == "+15555550103", "the number did not change")

-- 4. A number leads to one account. Its proof signs in there, without another code.
local yuki <const> = Auth.session()
local _, taken <const> = luath.try(function()
  yuki:signInAnonymously().user:linkWithPhoneNumber("+15555550101", read)
end)
print(("taken          %s: %s is another account's"):format(taken.code, taken.details.phoneNumber))
assert(taken.code == Auth.ErrorCode.credentialAlreadyInUse)
local result <const> = yuki:signIn(taken.pendingCredential)
print("signed in      to the account of " .. result.user.phoneNumber)
assert(result.user.uid == ada.user.uid, "the proof leads to another account")

-- 5. Without the number the other ways stay.
grace:unlink "phone"
print("unlinked       " .. ways(grace) .. " is left")
assert(ways(grace) == "password" and not grace.phoneNumber, "the number is still there")
