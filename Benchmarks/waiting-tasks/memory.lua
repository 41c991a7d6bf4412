-- What a coroutine costs that waits and does nothing: the growth of the process by many of them.
-- Prints JSON.
local json <const> = require "luath.json"
local task <const> = require "luath.task"

local count <const> = tonumber(arg[1])

local function resident()
  for line in io.lines "/proc/self/status" do
    local kilobytes = line:match "^VmRSS:%s*(%d+) kB"
    if kilobytes then
      return tonumber(kilobytes) * 1024
    end
  end
end

local tasks <const> = table.move({}, 1, count, 1, {})
collectgarbage()
task.sleep(0)
local before <const> = resident()
local lua <const> = collectgarbage "count"
for index = 1, count do
  tasks[index] = task.spawn(function()
    task.sleep(3600 + index)
  end)
end
task.sleep(0.1)
for _, waiting in ipairs(tasks) do
  assert(waiting.status == "waiting", "a task does not wait")
end
local grown <const> = resident() - before
local luaGrown <const> = (collectgarbage "count" - lua) * 1024
for _, waiting in ipairs(tasks) do
  waiting:cancel()
end
print(json.encode { tasks = count, bytesPerTask = grown / count, ofThemInLua = luaGrown / count })
