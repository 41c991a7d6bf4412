-- Moves users from Yahoo to an identity at an OIDC provider, in one row each.
--
--   luath batch plan move.lua --in rows.csv -o plan.ndjson --target production
--
-- The new identity is linked before the old one is taken away, so that every user has a sign-in
-- method even if the run ends between the two.
local batch = require "luath.batch"

local YAHOO <const>, OIDC <const> = "yahoo.com", "oidc.fabrikam"

--- The id of an account at a provider, or nil.
local function id(account, providerID)
  for _, info in ipairs(account.providerData) do
    if info.providerID == providerID then
      return info.uid
    end
  end
end

return batch.define {
  columns = { "uid", "yahoo_id", "subject" },
  key = function(row)
    return row.uid .. " " .. row.subject
  end,
  plan = function(row, accounts)
    local account <const> = accounts:byUID(row.uid)
    if not account then
      return batch.refuse("noAccount", "there is no account " .. row.uid)
    end
    local yahoo <const>, subject <const> = id(account, YAHOO), id(account, OIDC)
    if subject == row.subject and not yahoo then
      return batch.skip "moved already"
    elseif yahoo ~= row.yahoo_id then
      return batch.refuse("anotherIdentity", "the account has another id at Yahoo than the list")
    end
    return {
      batch.link { uid = account, providerId = OIDC, rawId = row.subject, email = row.email },
      batch.unlink { uid = account, providerId = YAHOO },
    }, "from the list of the identity provider"
  end,
}
