-- Fills a new emulator with the accounts of rows.csv: twenty people who sign in with
-- Yahoo.
--
-- Two of them have moved already, and the id at Yahoo of one differs from the list.
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
  local email <const> = name .. "@fabrikam.example"
  local id <const> = ("YAHOO%02d"):format(name == "tess" and 77 or position - 1)
  local identity = { providerID = "yahoo.com", uid = id, email = email }
  if name == "bo" or name == "cy" then
    identity = {
      providerID = "oidc.fabrikam", uid = ("id-%d"):format(7000 + position - 1), email = email,
    }
  end
  accounts[position] = {
    uid = name,
    email = email,
    emailVerified = true,
    providerData = { identity },
  }
end
local result <const> = admin:importUsers(accounts)
assert(result.failureCount == 0, result.errors[1] and result.errors[1].message)
print(result.successCount .. " accounts")
