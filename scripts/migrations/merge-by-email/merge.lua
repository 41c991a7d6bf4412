-- Makes one account of those that have the same verified address.
--
--   luath batch plan merge.lua --in rows.csv --accounts accounts.json --target production
--
-- The account that was made first stays: its uid is known to other systems the longest. Accounts
-- whose address is not verified are left alone, as anybody can register an address that is not
-- theirs.
local batch = require "luath.batch"

return batch.define {
  columns = { "email" },
  key = function(row)
    return row.email:lower()
  end,
  plan = function(row, accounts)
    local verified <const>, others = {}, 0
    for _, account in ipairs(accounts:byEmail(row.email)) do
      if account.emailVerified and not account.disabled then
        verified[#verified + 1] = account
      else
        others = others + 1
      end
    end
    if #verified == 0 then
      return batch.refuse("noAccount", "nobody has the address " .. row.email)
    elseif #verified == 1 then
      return batch.skip(others > 0 and "the other address is not verified" or "one account")
    end
    local survivor <const>, losers <const> = batch.survivor.oldest(verified)
    return batch.merge { survivor = survivor, losers = losers }, "the oldest account stays"
  end,
}
