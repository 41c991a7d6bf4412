local batch = require "luath.batch"
return batch.define { key = "uid", plan = function(row, accounts)
  local one = accounts:byUID(row.uid)
  return nil, one and "there" or "not there"
end }
