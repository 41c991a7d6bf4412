-- A thousand journeys that do nothing: what the runner itself takes.
local journey <const> = require "luath.journey"

for number = 1, 1000 do
  journey(("nothing happens, for the %d. time"):format(number), function() end)
end
