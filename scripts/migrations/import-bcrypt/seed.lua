-- Empties an emulator but for one person, who registered again before the others are brought over.
local Admin <const> = require "luath.admin"
local emulator <const> = require "luath.emulator"

emulator.clear()
Admin.admin():importUsers({ { uid = "new", email = "tess@wingtip.example", emailVerified = true } })
print "1 account"
