local journey = require "luath.journey"
local auth = require("luath.auth").auth()
for number = 1, 20 do
  journey("j" .. number, function() auth:createUser("ada@x.example", "correct horse") end)
end
