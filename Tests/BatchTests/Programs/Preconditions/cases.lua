local batch = require "luath.batch"

local cases = {
  CASES()
}

return batch.define {
  plan = function(row, accounts)
    return cases[row.n](accounts)
  end,
  operations = { tell = { run = function() end } },
}
