require "busted.runner" ()
local busted = require "busted"
busted.describe("a", function()
  busted.before_each(function() task.sleep(0.01) end)
  busted.it("b", function()
    task.sleep(0.01)
    say(tostring(busted.version ~= nil))
  end)
end)
