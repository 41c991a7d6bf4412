--- Lesson 6: reauthenticate, then change the password and delete the account.
---
--- Such changes need a sign-in of the last minutes, so that nobody can make them at a computer that
--- was left alone. The emulator's clock can be moved, so the lesson does not last that long.
---
--- Usage: luath run scripts/06-reauthenticate.lua
---
--- Sample output:
---
---     now             an account with a password
---     an hour later   new password: requiresRecentLogin; deletion: requiresRecentLogin
---     reauthenticated the password is changed
---     old password    invalidCredential
---     new password    signs in
---     deleted         the account is gone

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
emulator.configure { enumerationProtection = true }
local auth <const> = Auth.auth()
local email <const> = "ada@contoso.example"
-- Made up for this run: a script holds no passwords.
local old <const>, new <const> = crypto.random(), crypto.random()

--- The code of the error that a call ends with; nil when it ends well.
local function refused(f, ...)
  local good, err = pcall(f, ...)
  if not good then
    return err.code
  end
end

local user <const> = auth:createUser(email, old).user
print("now             an account with a password")

-- 1. An hour later the account can be used, but not taken over.
emulator.advance(3600)
local onPassword <const> = refused(user.updatePassword, user, new)
local onDeletion <const> = refused(user.delete, user)
print(("an hour later   new password: %s; deletion: %s"):format(onPassword, onDeletion))
assert(onPassword == Auth.ErrorCode.requiresRecentLogin, "an old sign-in changed the password")
assert(onDeletion == Auth.ErrorCode.requiresRecentLogin, "an old sign-in deleted the account")

-- 2. With the password once more, both are allowed for the next minutes. A provider works as well:
-- user:reauthenticate(provider) shows its page.
user:reauthenticate(Auth.EmailAuthProvider.credential(email, old))
user:updatePassword(new)
print("reauthenticated the password is changed")
local byOld <const> = refused(auth.signIn, auth, { email = email, password = old })
print("old password    " .. tostring(byOld))
assert(byOld == Auth.ErrorCode.invalidCredential, "the old password still works")
local again <const> = auth:signIn({ email = email, password = new }).user
print("new password    signs in")
assert(again.uid == user.uid, "the new password leads to another account")

-- 3. That was a fresh sign-in, so the account can go.
again:delete()
assert(auth.currentUser == nil, "a deleted account is signed in")
local gone <const> = refused(auth.signIn, auth, { email = email, password = new })
print("deleted         the account is gone")
assert(gone == Auth.ErrorCode.invalidCredential, "the account is still there")
