-- SAML gives nothing else.
answer("signInWithIdp", 200, { providerId = "saml.corp", email = "a@x.example",
  needConfirmation = true, pendingToken = "P1", verifiedProvider = { "google.com" } })
local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth,
  Auth.GoogleAuthProvider.credential "i")
local pending = err.pendingCredential
equal(pending.providerID, "saml.corp")
equal(pending.idToken, nil)
equal(pending.accessToken, nil)
equal(tostring(pending), "saml.corp credential")
accept "google.com"
local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
answer("lookup", 200, { users = { { localId = "U1" } } })
accept "saml.corp"
user:link(pending)
equal(sent("signInWithIdp").pendingToken, "P1")
equal(sent("signInWithIdp").postBody, "providerId=saml.corp")
equal(sent("signInWithIdp").idToken, token)
-- Beside tokens it is sent as well, and so are they.
answer("signInWithIdp", 200, { providerId = "microsoft.com", email = "a@x.example",
  needConfirmation = true, pendingToken = "P2", oauthAccessToken = "a", oauthIdToken = "i" })
local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth,
  Auth.GoogleAuthProvider.credential "i")
accept "microsoft.com"
auth:signIn(err.pendingCredential)
equal(sent("signInWithIdp").pendingToken, "P2")
equal(sent("signInWithIdp").postBody, "providerId=microsoft.com&id_token=i&access_token=a")
-- A credential is nothing that could be written down without it.
mistake("Credential", json.encode, err.pendingCredential)
mistake("Credential", json.encode, { credential = err.pendingCredential })
