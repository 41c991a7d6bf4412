local lacks = require "FirebaseEmulator.lacks"
local user = auth:createUser("a@x.example", "correct horse").user
user:sendEmailVerification()
auth:applyActionCode(emulator.oobCodes()[1].oobCode)
user:reload()
local generate, session = Auth.TOTPMultiFactorGenerator.generateSecret, user.multiFactor:getSession()
if given.isFirebase then
  lacks("authenticator apps (TOTP)", generate, session)
else
  local err = refused("notImplemented", generate, session)
  assert(err.message:find("rules of this emulator", 1, true), err.message)
end
