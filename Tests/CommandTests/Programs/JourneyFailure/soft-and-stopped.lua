local function soft() expect.soft.equal(1, 2, "soft") end
journey("waits", { timeout = 0.2 }, function() soft() task.sleep(5) end)
journey("spins", { timeout = 0.2 }, function() soft() while true do end end)
journey("exits", function() soft() os.exit(0) end)
