for _, lifetime in ipairs { 3599, "3599" } do
  accept("google.com", { oauthAccessToken = "a", oauthExpireIn = lifetime, expiresIn = "100" },
    { localId = "U1", createdAt = "1500000000000", lastLoginAt = 1600000000000 })
  local result = auth:signIn(Auth.GoogleAuthProvider.credential "i")
  equal(result.credential.expiresIn, 3599)
  equal(result.user.metadata.creationDate, 1500000000000)
  equal(result.user.metadata.lastSignInDate, 1600000000000)
end
local renewed = jwt { sub = "U1", user_id = "U1", iat = 200, exp = 3800 }
answer("token", 200, { access_token = renewed, id_token = renewed, expires_in = "3600",
  refresh_token = "r2", token_type = "Bearer", user_id = "U1", project_id = "123" })
equal(auth.currentUser:getIDToken(), renewed)
equal(auth.currentUser.refreshToken, "r2")
