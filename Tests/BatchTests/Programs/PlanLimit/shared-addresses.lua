local batch = require "luath.batch"
return batch.define { plan = function(row, accounts)
  local list = accounts:byEmail(row.email)
  local ids = {}
  for i, one in ipairs(list) do ids[i] = one.uid end
  return nil, table.concat(ids, "+")
end }
