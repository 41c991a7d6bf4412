local foreign = require "ForeignServer.client"
local client, base = foreign.client, foreign.base
for habit, words in pairs { ["/keyless"] = "status 500", ["/unkeyed"] = "something other than JSON" } do
  local corp = client(habit)
  local err = refused("keysUnavailable", corp.verify, corp, host.env "TOKEN", { nonce = false })
  assert(err.message:find(base .. habit .. "/keys returned " .. words, 1, true), err.message)
  assert(not err.message:find("version", 1, true), err.message)
  assert(err.hint:find("jwks_uri", 1, true), err.hint)
end
