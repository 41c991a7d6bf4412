local journey = require "luath.journey"
for _, example in ipairs { EXAMPLES() } do
  journey(example[1], function()
    assert(load(example[2], "=" .. example[1], "t"))()
  end)
end
