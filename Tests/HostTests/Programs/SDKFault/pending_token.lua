-- The pending token of a conflict is kept, alone and beside other tokens.
local responses = { {}, { oauthAccessToken = "a" }, { oauthIdToken = "i", oauthTokenSecret = "s" } }
for _, tokens in ipairs(responses) do
  tokens.providerId, tokens.needConfirmation = "saml.corp", true
  tokens.pendingToken = "the-pending-token"
  answer("signInWithIdp", 200, tokens)
  local google = Auth.GoogleAuthProvider.credential "i"
  local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, google)
  accept "saml.corp"
  auth:signIn(err.pendingCredential)
  equal(sent("signInWithIdp").pendingToken, "the-pending-token")
end
