local foreign = require "ForeignServer.client"
local client = foreign.client
local corp = client "/login"
for _ = 1, 4 do
  local all = {}
  for number = 1, 30 do
    all[number] = function()
      refused("unknownKey", corp.verify, corp, host.env "STRANGE", { nonce = false })
    end
  end
  task.all(all)
end
