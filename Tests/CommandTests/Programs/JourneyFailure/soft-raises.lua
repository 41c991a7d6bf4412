journey("one", function()
  expect.soft.raises("x", function() expect.equal(1, 2) end)
  say "goes on"
end)
