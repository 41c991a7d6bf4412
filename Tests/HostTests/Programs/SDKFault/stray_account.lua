-- A backend that creates an account at a reauthentication is asked not to, and the account is named.
accept "google.com"
local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
accept("google.com", { localId = "U2", isNewUser = true })
local other = Auth.GoogleAuthProvider.credential "j"
local err = refused("userMismatch", user.reauthenticate, user, other)
equal(sent("signInWithIdp").autoCreate, false)
equal(err.details.strayAccount, "U2")
