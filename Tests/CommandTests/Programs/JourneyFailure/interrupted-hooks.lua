local run = journey.fixture("run", { scope = "run" }, function(f)
  f:defer(function() say "run down" end)
  return 1
end)
journey("one", function(j) j:use(run) end)
journey.afterAll(function()
  io.stdout:write "ready\n"
  io.stdout:flush()
  WAITS()
end)
