for _, id in ipairs { "microsoft.com", "yahoo.com", "oidc.corp" } do
  local claims = { sub = "s", email = "ada@" .. id, email_verified = true }
  local result = auth:signIn(Auth.OAuthProvider.credential(id, json.encode(claims)))
  equal(result.user.email, "ada@" .. id)
  equal(way(result.user, id).uid, "s")
end
