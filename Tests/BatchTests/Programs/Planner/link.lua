local batch = require "luath.batch"
return batch.define {
  columns = { "uid", "id" },
  key = "uid",
  plan = function(row, accounts)
    local account = accounts:byUID(row.uid)
    if not account then return batch.refuse("noAccount", "nobody has " .. row.uid) end
    for _, info in ipairs(account.providerData) do
      if info.providerID == "microsoft.com" then return nil, "linked already" end
    end
    return batch.link { uid = account, providerId = "microsoft.com", rawId = row.id }, "from the list"
  end,
}
