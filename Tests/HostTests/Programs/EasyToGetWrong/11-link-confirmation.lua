accept "google.com"
local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
local before = user.refreshToken
answer("lookup", 200, { users = { { localId = "U1" } } })
answer("signInWithIdp", 200, { providerId = "github.com", needConfirmation = true,
  email = "a@x.example", oauthAccessToken = "a" })
local err = refused("accountExistsWithDifferentCredential", user.link, user, Auth.GitHubAuthProvider.credential "a")
equal(err.pendingCredential.accessToken, "a")
equal(user.refreshToken, before)
