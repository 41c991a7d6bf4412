answer("signInWithIdp", 200, { providerId = "microsoft.com", needConfirmation = true,
  email = "a@x.example", oauthAccessToken = "a", pendingToken = "P" })
local credential = Auth.GoogleAuthProvider.credential "i"
local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, credential)
accept "microsoft.com"
auth:signIn(err.pendingCredential)
equal(sent("signInWithIdp").pendingToken, "P")
equal(sent("signInWithIdp").postBody, "providerId=microsoft.com&access_token=a")
