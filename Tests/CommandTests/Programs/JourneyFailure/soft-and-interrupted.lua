journey("one", function()
  expect.soft.equal(1, 2, "soft")
  io.stdout:write "ready\n"
  io.stdout:flush()
  task.sleep(100)
end)
