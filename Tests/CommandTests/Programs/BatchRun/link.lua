local batch = require "luath.batch"
return batch.define {
  key = "uid",
  plan = function(row)
    return batch.link { uid = row.uid, providerId = "yahoo.com", rawId = "y-" .. row.uid }
  end,
}
