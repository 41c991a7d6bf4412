answer("createAuthUri", 200, { authUri = "https://idp.example/login?state=s", sessionId = "S" })
local credential = Auth.OAuthProvider(given.id):getCredential(function(request)
  equal(request.providerID, given.id)
  return request.redirectURI .. "?code=c&state=s"
end)
accept(given.id)
equal(auth:signIn(credential).additionalUserInfo.providerID, given.id)
equal(sent("signInWithIdp").sessionId, "S")
