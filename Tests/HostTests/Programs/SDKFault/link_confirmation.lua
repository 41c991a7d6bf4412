-- A link that needs a confirmation is an error.
accept "google.com"
local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
answer("lookup", 200, { users = { { localId = "U1" } } })
local response = { providerId = "github.com", needConfirmation = true, pendingToken = "P" }
answer("signInWithIdp", 200, response)
local github = Auth.GitHubAuthProvider.credential "a"
refused("accountExistsWithDifferentCredential", user.link, user, github)
equal(auth.currentUser, user)
