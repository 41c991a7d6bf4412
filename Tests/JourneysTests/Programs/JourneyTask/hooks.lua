local function forever() while true do task.sleep(0.001) end end
local polls = journey.fixture("polls", function(f)
  local polling = task.spawn(forever)
  f:defer(function() log "stopped" polling:cancel() end)
end)
local server = journey.fixture("server", { scope = "file" }, function(f)
  local count = 0
  local serving = task.spawn(function()
    while true do task.sleep(0) count = count + 1 end
  end)
  f:defer(function() serving:cancel() log "server down" end)
  return function() return count end
end)
local hooked
journey.beforeEach(function() hooked = task.spawn(forever) end)
journey.afterEach(function()
  hooked:cancel()
  task.spawn(function() task.sleep(0) log "after afterEach" end)
end)
journey("one", function(j) j:use(polls) j:use(server) end)
journey("two", function(j)
  local count = j:use(server)
  local first = count()
  expect.eventually(function() return count() > first end, { interval = 0 })
end)
