local foreign = require "ForeignServer.client"
local client, ada, base, back = foreign.client, foreign.ada, foreign.base, foreign.back
local function fails(code, words, hint, ...)
  local err = refused(code, ...)
  assert(err.message:find(words, 1, true), err.message)
  assert(err.hint:find(hint, 1, true), err.hint)
  return err
end
fails("issuerUnreachable", "127.0.0.1:1", "its server runs", client, "", { issuer = "http://127.0.0.1:1" })
fails("issuerMismatch", "https://idp.example", "to the last slash", client, "/renamed")
local corp = client("/login", { clientSecret = "not the secret" })
local err = fails("clientRefused", "Bad secret.", "client_secret_basic", corp.signIn, corp, ada "form")
equal(err.providerError, "invalid_client")
local away = client "/unregistered"
err = fails("webRedirectNotRegistered", "Mismatching redirect URI.", back, away.signIn, away, ada "form")
equal(err.details.reason, "redirectNotRegistered")
local odd = client "/json"
fails("webSignInUserInteractionFailure", "invalid_request: The display is unknown.", "", odd.signIn, odd, ada "form")
local far = client "/address"
fails("webSignInUserInteractionFailure", "invalid_request: Unknown claims.", "", far.signIn, far, ada "form")
fails("discoveryFailed", base .. "/down/.well-known/openid-configuration returned status 500",
  "its discovery document", client, "/down")
fails("discoveryFailed", base .. "/html/.well-known/openid-configuration returned something other than JSON",
  "its discovery document", client, "/html")
local grant = client("/grant", { clientSecret = "not the secret" })
err = fails("clientRefused", "Invalid client credentials.", "allow this kind of grant", grant.signIn, grant, ada "form")
equal(err.providerError, "unauthorized_client")
local alone = client("/away", { clientSecret = "not the secret" })
fails("transport", "http://127.0.0.1:1/token", "", alone.signIn, alone, ada "form")
