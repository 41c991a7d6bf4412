--- Lesson 13: letters. Signs in by the link of an e-mail, resets a forgotten password, and moves an
--- account to a new address and back.
---
--- Usage: luath run scripts/13-email-link.lua
---
--- Sample output:
---
---     a link         signed ada@contoso.example in: a new account, without a password
---     the same link  is refused: invalidActionCode
---     a day later    another link is refused: expiredActionCode
---     a reset        sets a password, and ends the session: userTokenExpired
---     a new address  ada@fabrikam.example, verified
---     the way back   ada@contoso.example

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local luath <const> = require "luath"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()
local address <const>, other <const> = "ada@contoso.example", "ada@fabrikam.example"

--- The link of the newest letter. On a real project somebody reads it from a mailbox.
local function newestLink()
  local letters <const> = emulator.oobCodes()
  return letters[#letters].oobLink
end

--- The code in it.
local function newestCode()
  return Auth.ActionCodeURL(newestLink()).code
end

-- 1. A link in place of a password. The address it went to must be given again: a link that was
-- passed on is useless without the address.
local settings <const> = { url = "http://localhost/welcome", handleCodeInApp = true }
auth:sendSignInLink(address, settings)
local link <const> = newestLink()
assert(auth:isSignInWithEmailLink(link))
local result <const> = auth:signInWithEmailLink(address, link)
assert(result.additionalUserInfo.isNewUser and result.user.isEmailVerified)
assert(auth:fetchSignInMethods(address)[1] == nil, "the project reports who has an account")
print(("a link         signed %s in: a new account, without a password"):format(result.user.email))

-- 2. A link works once, and not for ever.
local _, used <const> = luath.try(auth.signInWithEmailLink, auth, address, link)
print("the same link  is refused: " .. used.code)
assert(used.code == Auth.ErrorCode.invalidActionCode)
auth:sendSignInLink(address, settings)
emulator.advance(86400)
local _, late <const> = luath.try(auth.signInWithEmailLink, auth, address, newestLink())
print("a day later    another link is refused: " .. late.code)
assert(late.code == Auth.ErrorCode.expiredActionCode)

-- 3. A reset sets a password. It ends every session, this one too.
local user <const> = result.user
auth:sendPasswordReset(address)
local code <const> = newestCode()
assert(auth:verifyPasswordResetCode(code) == address)
local judged <const> = auth:validatePassword "correct horse"
assert(judged.isValid, "the project asks for more of passwords")
auth:confirmPasswordReset(code, "correct horse")
local _, ended <const> = luath.try(user.reload, user)
print("a reset        sets a password, and ends the session: " .. ended.code)
assert(ended.code == Auth.ErrorCode.userTokenExpired and auth.currentUser == nil)

-- 4. A new address has to be proved before it is the account's.
local back <const> = auth:signIn { email = address, password = "correct horse" }.user
back:sendEmailVerificationBeforeUpdatingEmail(other)
local change <const> = auth:checkActionCode(newestCode())
assert(change.operation == Auth.ActionCodeOperation.verifyAndChangeEmail)
assert(change.email == other and change.previousEmail == address)
auth:applyActionCode(newestCode())
local moved <const> = auth:signIn { email = other, password = "correct horse" }.user
print(("a new address  %s, verified"):format(moved.email))
assert(moved.uid == user.uid and moved.isEmailVerified)

-- 5. The old address receives an e-mail, with a link that reverts the change.
assert(auth:checkActionCode(newestCode()).operation == Auth.ActionCodeOperation.recoverEmail)
auth:applyActionCode(newestCode())
local home <const> = auth:signIn { email = address, password = "correct horse" }.user
print("the way back   " .. home.email)
assert(home.uid == user.uid)
