local foreign = require "ForeignServer.client"
local client, ada = foreign.client, foreign.ada
for _, habit in ipairs { "/search", "/link" } do
  local corp = client(habit)
  corp:logout("a.b.c", ada(given.delegate))
end
