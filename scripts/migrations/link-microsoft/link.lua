-- Links Microsoft identities from a list to the accounts of their owners.
--
--   luath batch plan link.lua --in rows.csv -o link.plan.ndjson --target production
--
-- Each row names an account by its address, and the person's id at Microsoft. An account that has
-- the identity already is left out; a row that fits no account, or several, is refused.
local batch = require "luath.batch"

local MICROSOFT <const> = "microsoft.com"

--- The identity of an account at a provider, or nil.
local function identity(account, providerID)
  for _, info in ipairs(account.providerData) do
    if info.providerID == providerID then
      return info
    end
  end
end

return batch.define {
  columns = { "email", "microsoft_id" },
  key = "email",
  plan = function(row, accounts)
    if row.microsoft_id == "" then
      return batch.skip "no identity in the list"
    end
    local found <const> = accounts:byEmail(row.email)
    if #found == 0 then
      return batch.refuse("noAccount", "nobody has the address " .. row.email)
    elseif #found > 1 then
      return batch.refuse("sharedAddress", row.email .. " belongs to several accounts")
    end
    local account <const> = found[1]
    if account.disabled then
      return batch.skip "the account is disabled"
    end
    local known <const> = identity(account, MICROSOFT)
    if known and known.uid == row.microsoft_id then
      return batch.skip "linked already"
    end
    return batch.link {
      uid = account,
      providerId = MICROSOFT,
      rawId = row.microsoft_id,
      email = row.email,
    }, "by the list of the directory"
  end,
}
