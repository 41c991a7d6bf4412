local batch = require "luath.batch"
require "ends".stray()
return batch.define {
  key = "uid",
  plan = function(row) return batch.link { uid = row.uid, providerId = "yahoo.com", rawId = "y" } end,
}
