local corp = Auth.OAuthProvider "oidc.corp"
local waiting = task.spawn(function()
  return corp:getCredential(ui.device { issuer = emulator.origin .. "/oidc/corp",
    clientID = "luath-client-oidc.corp", clientSecret = "luath-secret-oidc.corp" })
end)
local shown, address, code
repeat
  shown = http.get(host.env "KEYBOARD").body
  address, code = shown:match "\n  (http%S+)\n", shown:match "code there: (%u+%-%u+)"
until code
assert(shown:find("█", 1, true), "no picture")
ui.show(form("barbara@corp.example", { fields = { user_code = code } }), address,
  emulator.origin .. "/oidc/corp/device/done")
equal(auth:signIn(waiting:await()).user.email, "barbara@corp.example")
