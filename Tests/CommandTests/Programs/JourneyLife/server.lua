return require("luath.journey").fixture("server", { scope = "run" }, function(f)
  f:defer(function()
    local file = assert(io.open("log.txt", "a"))
    file:write "down\n"
    file:close()
  end)
  return { port = 8080 }
end)
