-- Fills a new emulator with the accounts of rows.csv; the second one has its identity
-- already.
local Admin <const> = require "luath.admin"
local emulator <const> = require "luath.emulator"

local NAMES <const> = {
  "ada", "bo", "cy", "dee", "eli", "fay", "gus", "hana", "ivo", "jun",
  "kim", "lou", "max", "nia", "oli", "pat", "qui", "ria", "sam", "tess",
}

local admin <const> = Admin.admin()
for _ in admin:listUsers { pageSize = 1 } do
  error {
    message = "the target has accounts already; nothing was changed",
    hint = "start a new emulator for the trial: luath emulator --rules production --port 9099",
  }
end
emulator.clear()
local accounts <const> = {}
for position, name in ipairs(NAMES) do
  local email <const> = name .. "@contoso.example"
  local known <const> = {
    { providerID = "microsoft.com", uid = "00000000-0000-0000-0001-000000000001", email = email },
  }
  accounts[position] = {
    uid = name,
    email = email,
    emailVerified = true,
    providerData = name == "bo" and known or nil,
  }
end
local result <const> = admin:importUsers(accounts)
assert(result.failureCount == 0, result.errors[1] and result.errors[1].message)
print(result.successCount .. " accounts")
