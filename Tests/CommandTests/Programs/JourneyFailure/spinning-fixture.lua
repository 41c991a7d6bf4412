local run = journey.fixture("run", { scope = "run", timeout = 0.2 }, function(f)
  f:defer(function() say "run down" end)
  f:defer(function() while true do end end)
  return 1
end)
journey("one", function(j) j:use(run) end)
