journey("spins", { timeout = 0.05 }, function()
  task.spawn(function()
    task.sleep(0)
    while true do spun = (spun or 0) + 1 end
  end)
end)
journey("goes on", function() end)
