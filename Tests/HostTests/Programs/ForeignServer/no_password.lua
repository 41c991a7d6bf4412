local foreign = require "ForeignServer.client"
local client, ada = foreign.client, foreign.ada
local corp = client "/login"
local nobody = ui.form { username = "ada@idp.example" }
refused("webLoginAtSignOut", corp.logout, corp, "a.b.c", nobody)
refused("webPageDespitePromptNone", corp.signIn, corp, nobody, { prompt = "none" })
equal(refused("webPageUnusable", corp.signIn, corp, nobody).details.reason, "missingAnswer")
