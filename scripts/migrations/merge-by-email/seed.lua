-- Fills a new emulator with the accounts of rows.csv.
--
-- Twenty people signed in with a password long ago, and again with Google or Yahoo later. The
-- project allowed several accounts for one address, so that each of them has two; three never
-- confirmed the address of one.
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
emulator.configure { oneAccountPerEmail = false }
local accounts <const> = {}
for position, name in ipairs(NAMES) do
  local email <const> = name .. "@contoso.example"
  accounts[#accounts + 1] = {
    uid = name,
    email = email,
    emailVerified = true,
    displayName = name:sub(1, 1):upper() .. name:sub(2),
    metadata = { creationTime = 1600000000000 + position * 1000 },
  }
  local provider <const> = position % 2 == 0 and "yahoo.com" or "google.com"
  accounts[#accounts + 1] = {
    uid = name .. "-2",
    email = email,
    -- Registering a foreign address creates an account, but is no proof.
    emailVerified = position > 3,
    metadata = { creationTime = 1700000000000 + position * 1000 },
    providerData = { { providerID = provider, uid = provider .. ":" .. name, email = email } },
  }
end
local result <const> = admin:importUsers(accounts)
assert(result.failureCount == 0, result.errors[1] and result.errors[1].message)
print(result.successCount .. " accounts")
