local corp = Auth.OAuthProvider "oidc.corp"
local err = refused("invalidCredential", corp.getCredential, corp,
  ui.device { issuer = given.issuer, clientID = "client-1", prompt = function() end })
assert(err.message:find("the ID token", 1, true), err.message)
assert(err.message:find(given.words, 1, true), err.message)
