local function signIn(exp)
  answer("signInWithPassword", 200, { localId = "U1", mfaPendingCredential = "m",
    mfaInfo = { { mfaEnrollmentId = "E1", totpInfo = {} } } })
  local err = refused("secondFactorRequired", auth.signInWithEmail, auth, "a@b.example", "correct horse")
  answer("finalize", 200, { idToken = jwt { user_id = "U1", sub = "U1", iat = 100, exp = exp }, refreshToken = "r" })
  answer("lookup", 200, { users = { { localId = "U1" } } })
  return err.resolver:resolveSignIn(Auth.TOTPMultiFactorGenerator.assertionForSignIn("E1", "123456")).user
end
signIn(3700):getIDToken()
equal(sent "token", nil)
local user = signIn(200)
answer("token", 200, { access_token = token, expires_in = "3600", refresh_token = "r2" })
equal(user:getIDToken(), token, "what is good for less than five minutes is renewed")
