local one = Auth.OAuthProvider.credential("oidc.own", host.env "GOOD")
local uid = auth:signIn(one).user.uid
emulator.advance(7200)
refused("invalidCredential", auth.signIn, auth, one)
equal(auth.currentUser.uid, uid, "the user after a failed sign-in")
