local foreign = require "ForeignServer.client"
local client, ada = foreign.client, foreign.ada
local corp = client "/login"
local err = refused("webPageDespitePromptNone", corp.signIn, corp, ada(given.delegate), { prompt = "none" })
equal(err.details.reason, "pageDespitePromptNone")
assert(err.hint:find("login_required", 1, true), err.hint)
