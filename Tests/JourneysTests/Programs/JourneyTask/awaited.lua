local own = journey.fixture("own", function(f) f:defer(function() log "fixture down" end) end)
journey.afterEach(function() log "afterEach" end)
journey("one", function(j)
  j:use(own)
  shared = "kept"
  task.spawn(function()
    task.sleep(0)
    task.spawn(function() task.sleep(0) log(shared) end)
  end)
  log "returned"
end)
