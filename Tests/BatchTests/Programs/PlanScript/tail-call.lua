local batch = require "luath.batch"
local cached = batch.link
local function help() return batch.link { uid = 'a' } end
return batch.define { plan = function(row, accounts)
  assert(row.n == 1)
  CALL()
end }
