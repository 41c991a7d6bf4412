-- A reporter: lists the journeys and the calls that took longest, in Markdown.
--
--   luath test --report pretty,scripts/journeys/slowest.lua:slowest.md
--
-- It returns a function for each event that it wants; docs/events.schema.json describes the events.

local MOST <const> = 5

local journeys, calls = {}, {}

--- Prints a table with the slowest of a list.
local function show(title, list)
  table.sort(list, function(one, other)
    if one.duration ~= other.duration then
      return one.duration > other.duration
    end
    return one.name < other.name
  end)
  print(("| %s | milliseconds |\n| --- | ---: |"):format(title))
  for at = 1, math.min(MOST, #list) do
    print(("| %s | %.1f |"):format(list[at].name, list[at].duration))
  end
  print()
end

return {
  ["journey.end"] = function(event)
    journeys[#journeys + 1] = { name = event.journey, duration = event.duration }
  end,
  http = function(event)
    -- `operation` is the call of Firebase's API; other servers have none.
    local name <const> = event.operation or ("%s %s"):format(event.method, event.url)
    calls[#calls + 1] = { name = name, duration = event.duration }
  end,
  finish = function()
    show("journey", journeys)
    show("call", calls)
  end,
}
