-- Signs in with passwords of the old system, as the people will.
local Auth <const> = require "luath.auth"

local auth <const> = Auth.auth()
for number, name in ipairs { "ada", "bo", "cy" } do
  local email <const> = name .. "@wingtip.example"
  local user <const> = auth:signInWithEmail(email, "open sesame " .. number).user
  assert(user.uid == "old-" .. number)
end
print "three people signed in with their old passwords"
