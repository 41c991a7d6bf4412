local batch = require "luath.batch"
return batch.define { plan = function(row, accounts)
  return nil, accounts:byEmail(row.email)[1].uid
end }
