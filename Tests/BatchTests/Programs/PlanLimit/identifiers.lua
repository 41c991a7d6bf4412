local batch = require "luath.batch"
return batch.define { plan = function(row, accounts)
  accounts:byUID(row.uid)
  return nil, "fine"
end }
