local credential = Auth.OAuthProvider.credential
local good = host.env "GOOD"
local bad = { bent = flows.bent(good), forged = flows.forged(good, { sub = "s-2" }), words = "not a token",
  none = crypto.base64url '{"alg":"none"}' .. "." .. good:match "%.(.-)%." .. "." }
for _, name in ipairs { "AUDIENCE", "ISSUER", "EXPIRED", "FUTURE", "NOBODY", "EMPTY", "STRANGER" } do
  bad[name] = host.env(name)
end
for name, token in pairs(bad) do
  local ok, err = pcall(auth.signIn, auth, credential("oidc.own", token))
  assert(not ok, name .. " was accepted")
  assert(err.code == "invalidCredential" and err.serverName == "INVALID_IDP_RESPONSE", name .. ": " .. tostring(err))
  assert(not tostring(err):find(token, 1, true), name)
end
equal(auth.currentUser, nil)
-- Known to the project, but under another provider's name.
refused("invalidCredential", auth.signIn, auth, credential("oidc.corp", good))
-- An access token alone cannot be checked.
refused("invalidCredential", auth.signIn, auth, credential("oidc.own", nil, nil, "access"))
refused("invalidCredential", credential, "oidc.own")
refused("invalidCredential", credential, "oidc.own", "")
assert(auth:signIn(credential("oidc.own", good)).user.uid)
