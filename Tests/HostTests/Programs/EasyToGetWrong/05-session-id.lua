answer("createAuthUri", 200, { authUri = "https://idp.example/?state=s", sessionId = "QWERTYUIOP" })
local credential = Auth.OAuthProvider("google.com"):getCredential(function(page)
  return page.redirectURI .. "?code=c&state=s"
end)
equal(sent("createAuthUri").sessionId, nil, "the server makes it")
accept "google.com"
auth:signIn(credential)
equal(sent("signInWithIdp").sessionId, "QWERTYUIOP")
assert(sent("signInWithIdp").requestUri:find("?code=c&state=s", 1, true))
