local task = require "luath.task"
local Auth = require "luath.auth"

---@param f fun(...: any): ...any what to run
---@return Task task
function task.spawn()
  local other = task.spawn(function(name)
    task.sleep(0.01)
    return "hello " .. name
  end, "Ada")
  print "the caller goes on first"
  print(other:await())
end

---@param seconds _ how long; 0 lets others go on once
---@error cancelled when the task is cancelled meanwhile
function task.sleep()
  print "wait for it"
  task.sleep(0.01)
  print "here it is"
end

---@return any[] results
---@error cancelled in the functions that go on when one has failed
function task.all()
  local function visitor()
    return Auth.session():signInAnonymously().user.uid
  end
  local uids = task.all { visitor, visitor, visitor }
  print(#uids)
  assert(uids[1] ~= uids[2])
end

---@return any ... what the first returned
---@error cancelled in the functions that did not win; nobody waits for their end
function task.race()
  local winner = task.race {
    function() task.sleep(5) return "the tortoise" end,
    function() task.sleep(0.01) return "the hare" end,
  }
  print(winner)
  assert(winner == "the hare")
end

---@param seconds _ how long at most
---@param f fun(...: any): ...any what to run; its arguments follow
---@return any ... what the function returned
---@error timeout when the time is over; what the function waits for is cancelled
function task.timeout()
  local good, err = pcall(task.timeout, 0.01, function() task.sleep(5) end)
  print(good, err.code)
  assert(err.code == "timeout")
end

---@class Task

---@return any ... what the function returned
---@error cancelled when the task was cancelled
function Task:await()
  local sum = task.spawn(function(a, b) return a + b end, 1, 2)
  print(sum:await())
end

function Task:cancel()
  local other = task.spawn(task.sleep, 60)
  other:cancel()
  local good, err = pcall(other.await, other)
  print(good, err.code)
  assert(err.code == "cancelled")
end
