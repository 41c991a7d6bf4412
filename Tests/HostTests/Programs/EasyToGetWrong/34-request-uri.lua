accept "google.com"
auth:signIn(Auth.GoogleAuthProvider.credential "i")
equal(sent("signInWithIdp").requestUri, "http://localhost")
answer("signInWithIdp", 200, { providerId = "saml.corp", needConfirmation = true, pendingToken = "P" })
local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, Auth.GoogleAuthProvider.credential "i")
accept "saml.corp"
auth:signIn(err.pendingCredential)
equal(sent("signInWithIdp").requestUri, "http://localhost")
