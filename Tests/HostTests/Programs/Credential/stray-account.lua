local session = auth:session()
session.createsAccounts = false
accept("google.com", { isNewUser = true })
local err = refused("userNotFound", session.signIn, session, Auth.GoogleAuthProvider.credential "i")
equal(err.details.strayAccount, "U1")
equal(session.currentUser, nil)
