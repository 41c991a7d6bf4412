local batch = require "luath.batch"
return batch.define { plan = function(row, accounts)
  return CALL()
end }
