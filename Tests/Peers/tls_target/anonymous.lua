-- Makes as many accounts as it is told to.
local Auth <const> = require "luath.auth"
for _ = 1, math.tointeger(arg[1]) do Auth.session():signInAnonymously() end
print "done"
