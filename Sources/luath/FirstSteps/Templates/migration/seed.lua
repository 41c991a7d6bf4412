-- Creates the accounts that rows.csv names, in the emulator that was started in this folder.
local Admin <const> = require "luath.admin"
local emulator <const> = require "luath.emulator"

--- Whether there is an emulator with the test user of this folder's luath.lua.
local function isOurs()
  local good <const>, people <const> = pcall(emulator.people)
  for _, person in ipairs(good and people or {}) do
    if person.email == "trial-MARKER@migration.example" then
      return true
    end
  end
  return false
end

if not isOurs() then
  error {
    message = "the target is no emulator that was started in this folder; nothing was changed",
    hint = "in another terminal, in this folder: luath emulator --port 9700",
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
