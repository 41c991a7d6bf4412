-- Fills the emulator with the accounts that rows.csv speaks of.
local Admin <const> = require "luath.admin"
local emulator <const> = require "luath.emulator"

emulator.clear()
local accounts <const> = {}
for _, name in ipairs { "ada", "grace", "alan" } do
  accounts[#accounts + 1] = {
    uid = name, email = name .. "@contoso.example", emailVerified = true,
  }
end
local result <const> = Admin.admin():importUsers(accounts)
assert(result.failureCount == 0, result.errors[1] and result.errors[1].message)
print(result.successCount .. " accounts")
