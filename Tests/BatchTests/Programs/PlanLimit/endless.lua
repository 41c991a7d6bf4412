local batch = require "luath.batch"
return batch.define { key = "uid", plan = function(row, accounts)
  accounts:byUID(row.uid)
  while row.uid == "u7" do end
  return nil, "fine"
end }
