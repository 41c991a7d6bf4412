local flows = require "support.flows"
local Auth = require "luath.auth"
local task = require "luath.task"

local equal, mistake = flows.equal, flows.mistake

describe("luath.task", function()
  it("many waits go on at once", function()
    local order, jobs = {}, {}
    for i = 1, 200 do
      jobs[i] = function()
        -- Each ends after the one behind it, which could not begin if they took turns.
        while i < 200 and order[#order] ~= i + 1 do task.sleep(0) end
        order[#order + 1] = i
        return i * 2
      end
    end
    local results = task.all(jobs)
    assert(#order == 200 and #results == 200)
    for i = 1, 200 do assert(results[i] == i * 2) end
    assert(order[1] == 200 and order[200] == 1)
  end)

  it("the first failure ends the others and is raised with its fields", function()
    local reached = false
    local ok, err = pcall(task.all, {
      function() task.sleep(3600) reached = true end,
      function() task.sleep(0) error({ code = "mine", n = 7 }) end,
    })
    assert(not ok and err.code == "mine" and err.n == 7 and not reached)
  end)

  it("a race returns the first result and cancels the rest", function()
    local seen
    local value, second = task.race({
      function()
        local ok, err = pcall(task.sleep, 3600)
        seen = err.code
        -- Once cancelled, a task cannot wait any more.
        local again, err2 = pcall(task.sleep, 3600)
        assert(not again and err2.code == "cancelled")
      end,
      function() task.sleep(0) return "fast", 2 end,
    })
    assert(value == "fast" and second == 2 and seen == "cancelled")
  end)

  it("a race does not wait for those that lost", function()
    local isOver, loser = false
    local ok, err = pcall(task.race, {
      function()
        -- Ignores that it was cancelled until the race is over.
        while not isOver do pcall(task.sleep, 0) end
        loser = "cleaned up"
        error "not reported"
      end,
      function() error({ code = "first" }) end,
    })
    isOver = true
    assert(not ok and err.code == "first" and loser == nil)
    while not loser do task.sleep(0) end
  end)

  it("a race that is cancelled cancels all its functions", function()
    local codes, begun = {}, 0
    local function wait()
      begun = begun + 1
      local _, err = pcall(task.sleep, 3600)
      codes[#codes + 1] = err.code
    end
    local race = task.spawn(function() task.race { wait, wait } end)
    while begun < 2 do task.sleep(0) end
    race:cancel()
    while #codes < 2 do task.sleep(0) end
    assert(codes[1] == "cancelled" and codes[2] == "cancelled")
  end)

  it("many tasks wait at once and are cancelled together", function()
    local waiting, ended = {}, 0
    for i = 1, 5000 do
      waiting[i] = task.spawn(function()
        local ok, err = pcall(task.sleep, 3600)
        assert(not ok and err.code == "cancelled")
        ended = ended + 1
      end)
    end
    task.sleep(0)
    for i = 1, 5000 do
      waiting[i]:cancel()
      waiting[i]:cancel()
    end
    assert(ended == 0, "cancelling runs no task at once")
    for i = 1, 5000 do waiting[i]:await() end
    assert(ended == 5000)
  end)

  it("a timeout ends what takes too long, and only that", function()
    local ok, err = pcall(task.timeout, 0.02, function() task.sleep(3600) end)
    assert(not ok and err.code == "timeout" and err.hint)
    local a, b = task.timeout(3600, function(x) task.sleep(0) return x, 2 end, 1)
    assert(a == 1 and b == 2)
    local ok, err = pcall(task.timeout, 3600, function() error("inner", 0) end)
    assert(not ok and err == "inner")
  end)

  it("a task can be awaited and cancelled, and has a status", function()
    local t = task.spawn(function(a, b) task.sleep(0) return a + b end, 2, 3)
    assert(t.status == "running" or t.status == "waiting")
    assert(t:await() == 5 and t:await() == 5 and t.status == "done")
    local c = task.spawn(function() task.sleep(3600) end)
    task.sleep(0)
    c:cancel()
    local ok, err = pcall(c.await, c)
    assert(not ok and err.code == "cancelled")
  end)

  it("tasks that wait for each other are a deadlock", function()
    local a, b
    a = task.spawn(function() task.sleep(0) return b:await() end)
    b = task.spawn(function() task.sleep(0) return a:await() end)
    local ok, err = pcall(a.await, a)
    assert(not ok and err.code == "deadlock", tostring(err))
  end)

  it("a function that shows a page is cancelled with its caller", function()
    local provider, shown, seen = Auth.OAuthProvider("microsoft.com"), false, nil
    local showing = task.spawn(function()
      provider:getCredential(function()
        shown = true
        local _, inner = pcall(task.sleep, 3600)
        seen = inner.code
      end)
    end)
    repeat task.sleep(0) until shown
    showing:cancel()
    local ok, err = pcall(showing.await, showing)
    assert(not ok and err.code == "cancelled", tostring(err))
    repeat task.sleep(0) until seen
    assert(seen == "cancelled", seen)
    showing = task.spawn(function()
      provider:getCredential(function() return showing:await() end)
    end)
    local ok, err = pcall(showing.await, showing)
    assert(not ok and err.message:find("wait for each other"), tostring(err))
  end)

  it("all returns an empty list for no functions", function()
    equal(#task.all {}, 0)
  end)

  it("bad arguments are refused", function()
    mistake("bad argument", task.sleep, -1)
    mistake("bad argument", task.sleep, 0 / 0)
    mistake("bad argument", task.sleep, 1e300)
    mistake("bad argument", task.race, {})
    mistake("bad argument", task.timeout, -1, print)
    mistake("bad argument", task.all, { 1 })
    mistake("bad argument", task.all, { print, nil, print, x = print })
  end)

  it("a module whose top level waits is loaded once", function()
    local results = task.all {
      function() return require "support.waiting_module" end,
      function() return require "support.waiting_module" end,
    }
    assert(results[1] == results[2] and results[1].loaded == 1)
  end)
end)
