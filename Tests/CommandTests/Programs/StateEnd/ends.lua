-- A module whose finalizers start, when the state is closed, everything that starts jobs.
-- Each notes whether its call returned.
local task = require "luath.task"
local kept, isEnding = {}, false
local function atEnd(name, f)
  kept[#kept + 1] = setmetatable({}, { __gc = function()
    isEnding = true
    local ok = pcall(f)
    local file = assert(io.open("notes.txt", "a"))
    file:write(name, " ", tostring(ok), "\n")
    file:close()
  end })
end
local function never()
  if isEnding then io.stderr:write "a job ran on a closed state\n" end
end
local function closing(f) return setmetatable({}, { __close = f }) end
local function open()
  local resource <close> = closing(function() task.spawn(never) end)
  coroutine.yield()
end
atEnd("spawn", function() for _ = 1, 100 do task.spawn(never) end end)
atEnd("close", function() local resource <close> = closing(function() task.spawn(never) end) end)
atEnd("coroutine", coroutine.wrap(function() task.spawn(never) end))
atEnd("all", function() task.all { never } end)
atEnd("race", function() task.race { never } end)
atEnd("timeout", function() task.timeout(1, never) end)
atEnd("sleep", function() task.sleep(0) end)
local suspended = coroutine.create(open)
coroutine.resume(suspended)
atEnd("suspended", function() assert(coroutine.close(suspended)) end)
local M = {}
-- Waits for ever, whatever cancels it.
function M.stray() task.spawn(function() while true do pcall(task.sleep, 0) end end) end
-- A listener hears of a change that a finalizer makes.
function M.listen()
  local auth = require "luath.auth".auth()
  auth:signInAnonymously()
  local calls = 0
  auth:onAuthStateChanged(function() calls = calls + 1 end)
  while calls == 0 do task.sleep(0) end
  auth:onAuthStateChanged(never)
  atEnd("signOut", function() auth:signOut() end)
  atEnd("listen", function() auth:onAuthStateChanged(never) end)
end
return M
