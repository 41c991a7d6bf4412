local thing = journey.fixture("thing", { scope = "file" }, function(f)
  log "up"
  f:defer(function() log "down" end)
  return 1
end)
journey("spins", { timeout = 0.3 }, function(j)
  j:use(thing)
  j:defer(function() task.sleep(0) log "cleaned" end)
  while true do pcall(function() while true do end end) end
end)
journey("goes on", function(j) j:use(thing) end)
