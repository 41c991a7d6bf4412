-- Makes the calls of the row's `steps`.
local batch = require "luath.batch"
return batch.define {
  key = function(row) return row.key or row.n end,
  plan = function(row, accounts)
    local list = {}
    for i, one in ipairs(row.steps) do
      local name, fields = one.call, {}
      for key, value in pairs(one) do
        if key ~= "call" then fields[key] = value end
      end
      list[i] = batch[name](fields)
    end
    return list
  end,
}
