journey("left fails", function(j)
  j:step("outer", function()
    task.all {
      function() j:step("left", function() task.sleep(0) expect.equal(1, 2) end) end,
      function() j:step("right", function() task.sleep(100) end) end,
    }
  end)
end)
journey("nobody awaits it", function(j)
  task.spawn(function()
    j:step("inner", function() expect.same({ x = { 1, 2 } }, { x = { 1, 3 } }) end)
  end)
  task.sleep(0)
end)
