journey("one request", function()
  local list = {}
  for i = 1, 1e9 do list[i] = ("x"):rep(1000000) .. i end
end)
journey("many", function(j)
  j:defer(function() say "down" end)
  j.list = {}
  for i = 1, 1e9 do j.list[i] = ("x"):rep(1000) .. i end
end)
