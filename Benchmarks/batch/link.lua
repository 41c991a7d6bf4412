-- A link for each row.
local batch <const> = require "luath.batch"

return batch.define {
  key = "uid",
  plan = function(row)
    return batch.link { uid = row.uid, providerId = "microsoft.com", rawId = row.microsoft_id }
  end,
}
