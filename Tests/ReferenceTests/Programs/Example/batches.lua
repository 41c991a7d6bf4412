local batch = require "luath.batch"
local definitions = {}
for index, example in ipairs { EXAMPLES() } do
  definitions[index] = assert(load(example[2], "=" .. example[1], "t"))()
  assert(definitions[index].plan, example[1])
end
return batch.define {
  columns = { "uid", "email", "microsoft_id" },
  key = "uid",
  plan = function(row, accounts)
    for _, definition in ipairs(definitions) do definition.plan(row, accounts) end
    return batch.skip "tried"
  end,
}
