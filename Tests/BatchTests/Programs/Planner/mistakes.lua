local batch = require "luath.batch"
return batch.define { plan = function(row)
  if row.n == 2 then local x = nil + 1 end
  if row.n == 3 then error { code = "odd", message = "three is odd" } end
  return nil, "nothing"
end }
