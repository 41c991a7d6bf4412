accept "google.com"
auth:signIn(Auth.GoogleAuthProvider.credential "i")
local before = #requests()
auth:signOut()
equal(auth.currentUser, nil)
equal(#requests(), before)
accept "google.com"
local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
fails("delete", "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
refused("requiresRecentLogin", user.delete, user)
equal(auth.currentUser, user)
answer("delete", 200, { kind = "x" })
user:delete()
equal(auth.currentUser, nil)
