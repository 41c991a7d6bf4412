local oidc = require "luath.oidc"
local emulator = require "luath.emulator"
local ui = require "luath.ui"
local task = require "luath.task"
local client = oidc.client {
  issuer = emulator.origin .. "/oidc/implicit",
  clientID = "luath-client-oidc.implicit",
  redirectURI = "http://127.0.0.1:8910/callback",
  scopes = { "openid", "profile", "email", "offline_access" },
}
local barbara = ui.form { username = "barbara@corp.example", password = "luath-demo" }
local tokens = client:signIn(barbara)

---@param options _ which provider, and as which app
---@param options.clientID _ the app's id at the provider
---@return OIDCClient client
---@error unusableAddress when the issuer is no https address
---@error issuerMismatch when the provider describes another issuer
---@error issuerUnreachable when no server responds at the issuer's address
---@error discoveryFailed when the issuer returns something other than its discovery document
function oidc.client()
  local client = oidc.client {
    issuer = emulator.origin .. "/oidc/corp", clientID = "luath-client-oidc.corp",
    clientSecret = "luath-secret-oidc.corp",
  }
  print(client.metadata.token_endpoint ~= nil)
end

---@class OIDCClient
---@field metadata table<string, any>

---@param options _ how to ask the provider
---@return OIDCFlow flow
---@error unusableRequest when the client has no redirectURI, or the provider cannot do it
function OIDCClient:begin()
  local flow = client:begin { prompt = "login", loginHint = "barbara@corp.example" }
  local final = ui.show(barbara, flow.url, flow.redirectURI)
  print(client:finish(flow, final).claims.email)
end

---@param flow _ what begin gave
---@param postBody _ what the browser was made to post there, with the response mode form_post
---@return OIDCTokens tokens
---@error stateMismatch when the answer is not one to this sign-in
---@error answerReplayed when the flow was finished before
---@error denied when the person refused
---@error providerError when the provider reports another failure
---@error clientRefused when the client's identifier or secret is wrong
---@error wrongNonce when the ID token was made for another sign-in
---@error badSignature when the ID token is not the issuer's
---@error keysUnavailable when the issuer does not return its signing keys
function OIDCClient:finish()
  local flow = client:begin()
  local good, err = pcall(client.finish, client, flow, flow.redirectURI .. "?code=x&state=y")
  print(good, err.code)
  assert(err.code == "stateMismatch")
end

---@param delegate _ shows the page: one of luath.ui, or a function
---@param options _ how to ask the provider
---@return OIDCTokens tokens
---@error denied when the person refused
---@error providerError when the provider reports a failure
---@error clientRefused when the client's identifier or secret is wrong
---@error webRedirectNotRegistered when the provider does not have the redirectURI
---@error webPageDespitePromptNone when a page shows in spite of `prompt=none`
function OIDCClient:signIn()
  local tokens = client:signIn(barbara, { loginHint = "barbara@corp.example" })
  print(tokens.claims.email)
end

---@param options _ what to ask for
---@return OIDCDevice device
---@error unsupported when the provider has no such sign-ins
function OIDCClient:device()
  local device = client:device()
  print(#device.userCode, device.expiresIn)
end

---@return OIDCTokens tokens
---@error refused when the token is spent, or was revoked
---@error unusableRequest when the tokens hold no refresh token
function OIDCClient:refresh()
  local fresh = client:refresh(tokens)
  print(fresh.accessToken ~= tokens.accessToken)
end

---@return table<string, any> claims
---@error refused when the access token is not good
---@error wrongSubject when the answer is about somebody else
function OIDCClient:userinfo()
  print(client:userinfo(tokens).name)
end

---@param idToken _ the ID token
---@param options _ what else must hold
---@return table<string, any> claims
---@error badSignature when it is not the issuer's
---@error wrongAudience when it is for another app
---@error expired when it is too old
---@error wrongNonce when it was made for another sign-in
---@error unknownKey when the issuer has no such key
function OIDCClient:verify()
  local claims = client:verify(tokens.idToken, { rawNonce = tokens.rawNonce })
  print(claims.sub == tokens.claims.sub)
end

---@error unsupported when the provider revokes nothing
function OIDCClient:revoke()
  client:revoke(tokens)
  local good, err = pcall(client.refresh, client, tokens)
  print(good, err.code)
end

---@param options _ whose session, and where to go on
---@return string url
---@return string? state what the browser comes back with, if it does
---@error unsupported when the provider has no such page
function OIDCClient:logoutURL()
  local url = client:logoutURL { idToken = tokens.idToken }
  print(url:find("id_token_hint", 1, true) ~= nil)
end

---@param delegate _ shows the page: one of luath.ui, or a function
---@param options _ where to go on
---@error unsupported when the provider has no such page
---@error unusableRequest when the tokens hold no ID token
---@error webLoginAtSignOut when the provider asks for a login
---@error webConsentDenied with a delegate that has `consent = false`
function OIDCClient:logout()
  client:logout(tokens, barbara, { redirectURI = "http://127.0.0.1:8910/callback" })
  print "signed out at the provider"
end

---@class OIDCTokens
---@field claims table<string, any> `crypto.claims` decodes any other token

---@class OIDCDevice

---@return OIDCTokens tokens
---@error denied when the person refused
---@error deviceCodeExpired when the person took too long
---@error timedOut when `timeout` is over
function OIDCDevice:wait()
  local device = client:device()
  local person = task.spawn(function()
    local form = ui.form {
      username = "barbara@corp.example", password = "luath-demo",
      fields = { user_code = device.userCode },
    }
    ui.show(form, device.verificationURI, device.verificationURI .. "/done")
  end)
  print(device:wait(20).claims.email)
  person:await()
end
