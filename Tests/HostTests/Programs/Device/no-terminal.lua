local corp = Auth.OAuthProvider "oidc.corp"
local silent = ui.device {
  issuer = emulator.origin .. "/oidc/corp", clientID = "luath-client-oidc.corp",
  clientSecret = "luath-secret-oidc.corp",
}
local err = refused("webPageUnusable", corp.getCredential, corp, silent)
assert(err.hint:find("prompt", 1, true), err.hint)
