local foreign = require "ForeignServer.client"
local client, ada = foreign.client, foreign.ada
for _, path in ipairs { "/sentence", "/verb" } do
  local corp = client(path)
  corp:logout("a.b.c", ada(given.delegate))
  local err = refused("webConsentDenied", corp.logout, corp, "a.b.c", ada(given.delegate, { consent = false }))
  assert(err.message:find("sign-out was denied", 1, true), err.message)
end
