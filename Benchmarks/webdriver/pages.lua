-- The wall time of opening a page in a browser and reading its heading, by luath.webdriver. Prints the
-- times of all rounds.
local json <const> = require "luath.json"
local webdriver <const> = require "luath.webdriver"
package.cpath = arg[1] .. "/?.so;" .. package.cpath
local now <const> = require("bench_peer").now

local url <const>, rounds <const> = arg[2], tonumber(arg[3])
local page <const> = webdriver.open()
local times <const> = {}
for round = 0, rounds do
  local start <const> = now()
  page:go(url)
  assert(#page:text "h1" > 0, "the page has no heading")
  -- The first page starts processes of the browser.
  if round > 0 then times[round] = now() - start end
end
page:close()
print(json.encode(times))
