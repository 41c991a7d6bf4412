local foreign = require "ForeignServer.client"
local client, ada, back = foreign.client, foreign.ada, foreign.back
local corp = client "/login"
local err = refused("webLoginAtSignOut", corp.logout, corp, "a.b.c", ada(given.delegate))
equal(err.details.reason, "loginAtSignOut")
equal(err.details.field, "pw")
assert(err.hint:find("keepsSession", 1, true), err.hint)
local url = corp:logoutURL { redirectURI = back }
refused("webLoginAtSignOut", ui.show, ada(given.delegate), url, back)
