--- Values as the prompt shows them.
local show = {}

local print <const> = require "luath.expect.print"

--- The results of a text, one text for each.
---
---@param values table packed
---@param columns? integer
function show.all(values, columns)
  local texts <const> = {}
  for index = 1, values.n do
    texts[index] = print.clean(print.text(values[index]))
  end
  return texts, columns
end

--- A value on one line.
function show.line(value)
  return print.clean(print.line(value))
end

return show
