local foreign = require "ForeignServer.client"
local client, ada, base = foreign.client, foreign.ada, foreign.base
local function configure(name, issuer)
  admin.admin():createProviderConfig {
    providerID = "oidc." .. name, displayName = name, enabled = true, clientID = "app",
    clientSecret = "not the secret", issuer = issuer, responseType = { code = true },
  }
  return Auth.OAuthProvider("oidc." .. name)
end
local function fails(reason, hint, name, issuer)
  local err = refused("invalidCredential", auth.signIn, auth, configure(name, issuer), ada "form")
  equal(err.details and err.details.reason, reason, tostring(err))
  assert(err.hint:find(hint, 1, true) and not err.hint:find("getCredential", 1, true), err.hint)
  assert(not tostring(err):find("not the secret", 1, true))
  return err
end
fails("issuerUnreachable", "its server runs", "gone", "http://127.0.0.1:1")
fails("issuerMismatch", "to the last slash", "renamed", base .. "/renamed")
fails("clientRefused", "client identifier and secret", "secret", base .. "/login")
local named = fails("clientRefused", "client identifier and secret", "named", base .. "/issuing")
assert(named.message:find(base .. "/issuing/token", 1, true), named.message)
refused("webRedirectNotRegistered", auth.signIn, auth, configure("away", base .. "/unregistered"), ada "form")
