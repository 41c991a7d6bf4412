local journey = require "luath.journey"
local task = require "luath.task"
local function note(text)
  local file = assert(io.open("notes.txt", "a"))
  file:write(text, "\n")
  file:close()
end
journey("waits", function(j)
  j:defer(function()
    task.sleep(0)
    note "cleaned"
  end)
  io.stdout:write "waiting\n"
  io.stdout:flush()
  while not io.open "go.txt" do task.sleep(0.005) end
end)
journey("next", function() note "next" end)
