auth.tenantID = "t1"
local microsoft = Auth.OAuthProvider "microsoft.com"
microsoft.customParameters = { tenant = "contoso.example" }
answer("createAuthUri", 200, { authUri = "https://idp.example/?state=s", sessionId = "S" })
local credential = microsoft:getCredential(function(page) return page.redirectURI .. "?code=c&state=s" end)
equal(sent("createAuthUri").customParameter.tenant, "contoso.example")
equal(sent("createAuthUri").tenantId, "t1")
accept "microsoft.com"
equal(auth:signIn(credential).user.tenantID, "t1")
equal(sent("signInWithIdp").tenantId, "t1")
