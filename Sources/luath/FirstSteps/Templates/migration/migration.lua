-- Links the Microsoft identities of a list to the accounts with the same e-mail address.
--
-- Plans one link for each row. Refuses rows that match no account, or several.
local batch <const> = require "luath.batch"

local MICROSOFT <const> = "microsoft.com"

--- The uid that an account has at a provider; nil if it is not linked.
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
      return batch.refuse("noAccount", "no account has the address " .. row.email)
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
