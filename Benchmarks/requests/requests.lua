-- N requests from as many coroutines of one script as the fourth argument says, each sending one after another.
-- Prints what the C peer prints.
local http <const> = require "luath.http"
local json <const> = require "luath.json"
local task <const> = require "luath.task"
package.cpath = arg[1] .. "/?.so;" .. package.cpath
local now <const> = require("bench_peer").now

local url <const>, requests <const>, concurrency <const> = arg[2], tonumber(arg[3]), tonumber(arg[4])

local left = requests
local workers <const> = {}
for worker = 1, concurrency do
  workers[worker] = function()
    while left > 0 do
      left = left - 1
      local response = http.get(url)
      assert(response.status == 200, "the status of an answer is not 200")
    end
  end
end

local start <const> = now()
task.all(workers)
local seconds <const> = now() - start
print(json.encode { requests = requests, seconds = seconds, perSecond = requests / seconds })
