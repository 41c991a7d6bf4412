local batch, task = require "luath.batch", require "luath.task"
return batch.define { plan = function(row)
  if row.n == 3 then pcall(task.sleep, 1000) end
  return nil, "fine"
end }
