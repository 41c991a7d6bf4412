local merge = require "luath.merge"
local auth = require("luath.auth").auth()
local function behind(call)
  call()
end
journey("person", function(j)
  behind(function() return j.users:new { emial = "x" } end)
end)
journey("sign in", function(j)
  local ada = j.users:new { email = "ada@x.example" }
  behind(function() return ada:signIn() end)
end)
journey("module", function() behind(function() return require "not.there" end) end)
journey("merge", function() behind(function() return merge.signIn(auth, 1) end) end)
journey("policy", function() behind(function() return merge.password(1) end) end)
journey("step", function(j)
  j:step("outer", function() return j:step(1) end)
end)
