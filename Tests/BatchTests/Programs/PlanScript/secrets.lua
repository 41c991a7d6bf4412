local batch = require "luath.batch"
return batch.define { plan = function(row)
  if row.n == 1 then return batch.refuse("bad" .. row.password, "no " .. row.password) end
  if row.n == 2 then return nil, "kept " .. row.user.Kennwort_Hash end
  if row.n == 3 then error { password = row.password, message = "at " .. row.pin } end
end }
