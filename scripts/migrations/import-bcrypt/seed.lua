-- Prepares a new emulator: with the account of one user, who registered again before the import.
local Admin <const> = require "luath.admin"
local emulator <const> = require "luath.emulator"

local admin <const> = Admin.admin()
for _ in admin:listUsers { pageSize = 1 } do
  error {
    message = "the target has accounts already; nothing was changed",
    hint = "start a new emulator for the trial: luath emulator --rules production --port 9099",
  }
end
emulator.clear()
admin:importUsers({ { uid = "new", email = "tess@wingtip.example", emailVerified = true } })
print "1 account"
