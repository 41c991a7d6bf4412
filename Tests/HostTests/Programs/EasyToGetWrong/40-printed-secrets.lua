local seen = {}
local page = provider("microsoft.com", "ada@contoso.example")
local result = auth:signIn(page:getCredential(function(request)
  local final = ui.show(form "ada@contoso.example", request.url, request.redirectURI)
  local fields = http.parseForm(final)
  seen[#seen + 1], seen[#seen + 2] = fields.code, fields.state
  return final
end))
local password = "correct battery horse staple"
for _, secret in ipairs {
  result.credential.idToken, result.credential.accessToken, result.user:getIDToken(),
  result.user.refreshToken, password,
} do
  seen[#seen + 1] = secret
end
local err = refused("providerAlreadyLinked", auth.currentUser.link, auth.currentUser, page)
local objects = { result.credential, result.user, auth, page, err,
  Auth.EmailAuthProvider.credential("a@b.example", password) }
for _, secret in ipairs(seen) do
  for _, object in ipairs(objects) do
    assert(not tostring(object):find(secret, 1, true), tostring(object))
  end
end
flows.answer(seen)
