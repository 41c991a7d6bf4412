-- Creates the accounts that rows.csv names, in the emulator that was started in this folder.
local Admin <const> = require "luath.admin"
local emulator <const> = require "luath.emulator"

--- Whether the emulator was started with this folder's luath.lua, which has this test user.
local function isOurs()
  for _, person in ipairs(emulator.people()) do
    if person.email == "trial@migration.example" then
      return true
    end
  end
  return false
end

if not isOurs() then
  error {
    message = "this emulator was not started in this folder, so nothing was changed",
    hint = "start one here: luath emulator --port 9700",
  }
end

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
