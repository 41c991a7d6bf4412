journey("long", function(j)
  j:defer(function() task.sleep(0) log "cleaned" end)
  log "waiting"
  task.sleep(1000)
end)
journey("never", function() end)
