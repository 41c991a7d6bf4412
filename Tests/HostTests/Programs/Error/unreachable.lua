for _, call in ipairs {
  function() auth:signIn { email = "a@b.example", password = "correct horse" } end,
  function() auth:signInAnonymously() end,
  function() auth:fetchProviders "a@b.example" end,
  function() auth:signIn(Auth.OAuthProvider "microsoft.com") end,
  function() auth:signIn(Auth.GoogleAuthProvider.credential "secret-token-1") end,
} do
  local err = refused("networkError", call)
  equal(err.rawValue, 17020)
  equal(err.webCode, "auth/network-request-failed")
  local named = err.message:find("127.0.0.1", 1, true) and err.message:find("port 1", 1, true)
  assert(named or err.message:find("127.0.0.1:1", 1, true), err.message)
  assert(not tostring(err):find("secret-token-1", 1, true))
end
equal(auth.currentUser, nil)
refused("connect", emulator.clear)
