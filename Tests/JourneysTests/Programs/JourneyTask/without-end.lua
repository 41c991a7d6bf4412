journey("waits", { timeout = 0.05 }, function()
  for _ = 1, 3 do
    task.spawn(function() task.all { function() task.sleep(1000) end } end)
  end
  task.spawn(function()
    local good = pcall(task.sleep, 1000)
    log("cancelled " .. tostring(not good))
  end)
end)
journey("goes on", function() end)
