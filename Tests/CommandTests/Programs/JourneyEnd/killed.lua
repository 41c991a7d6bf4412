local journey, task = require "luath.journey", require "luath.task"
journey("passes", function() end)
journey("fails", function() error "no" end)
journey("waits", function()
  while not io.open ".luath/tests.json" do task.sleep(0.005) end
  io.stdout:write "kept\n"
  io.stdout:flush()
  task.sleep(1000)
end)
