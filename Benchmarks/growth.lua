-- The time in which ui.form reads, fills and sends a page of many controls, for each page that the
-- arguments name, the best of some rounds. Prints it in milliseconds by address.
local json <const> = require "luath.json"
local ui <const> = require "luath.ui"

local back <const> = "http://127.0.0.1/callback"
local times <const> = {}
for _ = 1, 3 do
  for _, url in ipairs(arg) do
    local person <const> = ui.form { username = "ada", fields = { r = "1" } }
    local began <const> = os.clock()
    ui.show(person, url, back)
    local took <const> = (os.clock() - began) * 1000
    times[url] = math.min(times[url] or took, took)
  end
end
print(json.encode(times))
