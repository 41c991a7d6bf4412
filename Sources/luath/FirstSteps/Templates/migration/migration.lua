-- Links the Microsoft identities of a list to the accounts of their owners.
--
-- Plans one link for each row; rows that fit no account, or several, are refused.
local batch <const> = require "luath.batch"

local MICROSOFT <const> = "microsoft.com"

--- The id that an account has at a provider, or nil.
local function identity(account, providerID)
  for _, info in ipairs(account.providerData) do
    if info.providerID == providerID then
      return info.uid
    end
  end
end

return batch.define {
  columns = { "email", "microsoft_id" },
  key = "email",
  plan = function(row, accounts)
    local found <const> = accounts:byEmail(row.email)
    if #found == 0 then
      return batch.refuse("noAccount", "nobody has the address " .. row.email)
    elseif #found > 1 then
      return batch.refuse("sharedAddress", row.email .. " belongs to several accounts")
    end
    if identity(found[1], MICROSOFT) == row.microsoft_id then
      return batch.skip "linked already"
    end
    return batch.link { uid = found[1], providerId = MICROSOFT, rawId = row.microsoft_id },
      "by the list"
  end,
}
