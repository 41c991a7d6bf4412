local foreign = require "ForeignServer.client"
local client, ada, back = foreign.client, foreign.ada, foreign.back
local away, far = client "/unregistered", client "/address"
local err = refused("webRedirectNotRegistered", away.signIn, away, ada "webdriver")
assert(err.message:find("Mismatching redirect URI.", 1, true) and err.hint:find(back, 1, true), tostring(err))
err = refused("webSignInUserInteractionFailure", far.signIn, far, ada "webdriver")
assert(err.message:find("invalid_request: Unknown claims.", 1, true), err.message)
