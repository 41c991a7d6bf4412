journey.afterEach(function()
  io.stdout:write "ready\n"
  io.stdout:flush()
  task.sleep(100)
end)
journey("one", function() end)
