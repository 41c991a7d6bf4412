journey("spins", { timeout = 0.05 }, function()
  task.spawn(function()
    task.sleep(0)
    while true do end
  end)
end)
journey("goes on", function() end)
