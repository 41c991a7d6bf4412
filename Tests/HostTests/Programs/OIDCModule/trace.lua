local oidc = require "luath.oidc"
local back = "http://127.0.0.1:8910/callback"
local corp = oidc.client {
  issuer = emulator.origin .. "/oidc/implicit", clientID = "luath-client-oidc.implicit", redirectURI = back,
  scopes = { "openid", "offline_access" },
}
local flow = corp:begin()
local address = ui.show(form "barbara@corp.example", flow.url, back)
local tokens = corp:finish(flow, address)
corp:userinfo(tokens)
flows.answer { secrets = {
  flow.state, flow.nonce, flow.rawNonce, tokens.idToken, tokens.accessToken,
  http.parseForm(address).code, tokens.refreshToken,
} }
