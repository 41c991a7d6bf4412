local foreign = require "ForeignServer.client"
local client, ada = foreign.client, foreign.ada
for _, habit in ipairs { "/text", "/list", "/table", "/paragraphs" } do
  if given.delegate == "form" or habit ~= "/text" then
    local odd = client(habit)
    local err = refused("webSignInUserInteractionFailure", odd.signIn, odd, ada(given.delegate))
    assert(err.message:find("invalid_request", 1, true), err.message)
    assert(err.message:find("The display is unknown.", 1, true), err.message)
    assert(not err.message:find("Home", 1, true), err.message)
  end
end
