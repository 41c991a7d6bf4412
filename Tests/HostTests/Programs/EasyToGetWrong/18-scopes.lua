local yahoo = Auth.OAuthProvider "yahoo.com"
local function body(scopes)
  yahoo.scopes = scopes
  answer("createAuthUri", 200, { authUri = "https://idp.example/?state=s", sessionId = "S" })
  refused("webContextCancelled", yahoo.getCredential, yahoo, function() end)
  return sent "createAuthUri"
end
equal(body({ "mail-r", "", "sdct-w" }).oauthScope, '{"yahoo.com":"mail-r,sdct-w"}')
equal(body({ "" }).oauthScope, nil)
equal(body({}).oauthScope, nil)
