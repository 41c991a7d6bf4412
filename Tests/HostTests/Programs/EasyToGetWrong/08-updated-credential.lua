local credential = Auth.GoogleAuthProvider.credential "i"
local conflict = { providerId = "saml.corp", needConfirmation = true, email = "a@x.example" }
answer("signInWithIdp", 200, conflict)
local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, credential)
equal(err.pendingCredential, nil)
assert(err.hint:find("getCredential", 1, true), err.hint)
conflict.pendingToken = "P"
answer("signInWithIdp", 200, conflict)
local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, credential)
equal(err.pendingCredential.providerID, "saml.corp")
