local batch = require "luath.batch"
return batch.define { plan = function(row, accounts)
  local found = accounts:allByUID { "a", "b", "c" }
  local one, others = batch.survivor[row.policy] { found.a, found.b, found.c }
  return nil, one.uid .. ": " .. others[1].uid .. others[2].uid
end }
