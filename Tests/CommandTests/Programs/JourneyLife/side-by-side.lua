for name, other in pairs { one = "two", two = "one" } do
  journey(name, { timeout = 20 }, function()
    assert(io.open(name, "w")):close()
    while not io.open(other) do task.sleep(0.01) end
  end)
end
