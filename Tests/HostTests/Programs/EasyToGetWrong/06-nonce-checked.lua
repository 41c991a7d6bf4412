local withNonce, without = given.tokens[1], given.tokens[2]
local credential = Auth.OAuthProvider.credential
equal(crypto.sha256 "12345", given.hash)
equal(crypto.claims(withNonce).nonce, crypto.sha256 "12345")
refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", withNonce, crypto.sha256 "12345"))
refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", withNonce))
local user = auth:signIn(credential("oidc.own", withNonce, "12345")).user
equal(auth:signIn(credential("oidc.own", without, nil)).user.uid, user.uid)
