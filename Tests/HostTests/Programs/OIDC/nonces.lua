local credential = Auth.OAuthProvider.credential
local raw = host.env "RAW"
local first = auth:signIn(credential("oidc.own", host.env "PLAIN", nil))
equal(first.additionalUserInfo.isNewUser, true)
equal(way(first.user, "oidc.own").uid, "s-1")
equal(first.user.isEmailVerified, true)
equal(first.additionalUserInfo.profile.name, "Olga")
auth:signOut()
-- The hash is what the provider was given, not what Firebase wants; and there is no way round.
local token = host.env "NONCE"
for _, nonce in ipairs { crypto.sha256(raw), "wrong", raw .. " " } do
  local err = refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", token, nonce))
  equal(err.rawValue, 17094)
  assert(err.message:find("does not match the SHA256 hash", 1, true), err.message)
end
refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", token))
refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", host.env "PLAIN", raw))
equal(auth.currentUser, nil)
for name, nonce in pairs { NONCE = raw, AUDIENCES = raw .. "2" } do
  local again = auth:signIn(credential("oidc.own", host.env(name), nonce))
  equal(again.user.uid, first.user.uid)
  equal(again.additionalUserInfo.isNewUser, false)
end
-- A nonce signs in once, and a token without one again.
local err = refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", token, raw))
assert(err.message:find("has signed in before", 1, true), err.message)
assert(err.hint:find("new nonce", 1, true), err.hint)
equal(auth:signIn(credential("oidc.own", host.env "PLAIN")).user.uid, first.user.uid)
