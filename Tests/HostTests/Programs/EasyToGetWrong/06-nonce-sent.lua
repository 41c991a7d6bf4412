for _, nonce in ipairs { false, "", "12345" } do
  accept "oidc.corp"
  auth:signIn(Auth.OAuthProvider.credential("oidc.corp", "i", nonce or nil))
  local fields = http.parseForm(sent("signInWithIdp").postBody)
  equal(fields.nonce, nonce ~= "" and nonce or nil)
end
