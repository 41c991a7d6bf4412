local foreign = require "ForeignServer.client"
local client, ada = foreign.client, foreign.ada
for _, habit in ipairs { "/whitelist", "/answered" } do
  local corp = client(habit)
  local err = refused("webRedirectNotRegistered", corp.signIn, corp, ada "form")
  assert(err.message:find("redirect_uri", 1, true), err.message)
  assert(err.hint:find("register", 1, true), err.hint)
end
