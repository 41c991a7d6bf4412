local rows = {
  { "google.com", "id_token=i%2B%2F%3D&access_token=a%26", Auth.GoogleAuthProvider.credential("i+/=", "a&") },
  { "google.com", "access_token=a", Auth.GoogleAuthProvider.credential(nil, "a") },
  { "facebook.com", "access_token=a", Auth.FacebookAuthProvider.credential "a" },
  { "facebook.com", "id_token=i&nonce=n", Auth.OAuthProvider.credential("facebook.com", "i", "n") },
  { "github.com", "access_token=a", Auth.GitHubAuthProvider.credential "a" },
  { "twitter.com", "access_token=a&oauth_token_secret=s", Auth.TwitterAuthProvider.credential("a", "s") },
  { "apple.com", "id_token=i&nonce=n", Auth.OAuthProvider.appleCredential("i", "n") },
  { "oidc.corp", "id_token=i&access_token=a",
    Auth.OAuthProvider.credential { providerID = "oidc.corp", idToken = "i", accessToken = "a" } },
  { "oidc.corp", "id_token=i&nonce=n", Auth.OAuthProvider.credential("oidc.corp", "i", "n") },
  { "linkedin.com", "access_token=a",
    Auth.OAuthProvider.credential { providerID = "linkedin.com", accessToken = "a" } },
}
for _, row in ipairs(rows) do
  local id, fields, credential = table.unpack(row)
  equal(credential.providerID, id)
  equal(credential.provider, id)
  accept(id)
  equal(auth:signIn(credential).additionalUserInfo.providerID, id)
  equal(sent("signInWithIdp").postBody, "providerId=" .. id .. "&" .. fields)
  equal(sent("signInWithIdp").requestUri, "http://localhost")
  equal(sent("signInWithIdp").pendingToken, nil)
end
